"""The chart of a comparison."""

import pytest
from django.core.cache import cache
from django.test import Client

from reports.web.pages.compare import comparison_chart as compare_chart
from tests.reports.web.pages.compare.reading import PAGE
from tests.reports.web.pages.reading import chart, table, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.mark.usefixtures("both")
def test_the_chart_has_at_most_so_many_rows_and_says_so(as_bob: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "The chart shows the first" not in words(as_bob.get(PAGE))
    monkeypatch.setattr(compare_chart, "MOST_ROWS", 2)
    cache.clear()
    response = as_bob.get(PAGE)
    assert len(table(response)) == 4
    assert len(chart(response)["layout"]["yaxis"]["ticktext"]) == 2
    assert "The chart shows the first 2 rows of the table." in words(response)
