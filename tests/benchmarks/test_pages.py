"""The site on which pages are measured: every page can be asked for."""

import pytest

from benchmarks.pages import site
from benchmarks.pages.requests import NOT_MEASURED, PAGES, Draw, page_names, paths
from benchmarks.pages.serving import Asked
from benchmarks.pages.site import Size, build
from reports.models import Histogram, ReadOut

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_every_page_of_the_site_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "CATALOGUE", {"seed": 1, "films": 20, "people": 60})
    monkeypatch.setattr(site, "GRID", site.GRID | {"elements": 40, "reports": 200})
    size = Size(use_cases=2, locales=2, days=8)
    build(size)
    assert ReadOut.objects.filter(version__use_case__slug="use-case-000").count() == 2 * 8
    assert all(histogram.entries.size > 5 for histogram in Histogram.objects.filter(grouping=""))
    # They ask for the page, and raise an error unless it is there.
    asked = [Asked(name, Draw(size), 1) for name in page_names()]
    assert max(each.queries()["queries"] for each in asked[:5]) > 0
    drawn = paths("trend", Draw(size), 20)
    assert len(set(drawn)) == 20
    assert drawn == paths("trend", Draw(size), 20), "addresses are the same in every run"


def test_no_page_is_named_that_does_not_exist() -> None:
    names = page_names()
    assert set(PAGES) <= set(names)
    assert not NOT_MEASURED & set(names)
    assert {"home", "operations", "privacy", "saved_views", "subscriptions", "api_schema", "healthz"} <= set(names)
