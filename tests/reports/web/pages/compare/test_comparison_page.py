"""The page that compares: one address for each view, refusals in words, and who looked."""

import pytest
from django.test import Client

from reports.models import Viewing
from tests.reports.small_fleet import define
from tests.reports.web.pages.compare.reading import PAGE
from tests.reports.web.pages.reading import words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.mark.usefixtures("both")
def test_one_view_has_one_address(as_bob: Client) -> None:
    sent = {
        "locale": "en_US", "from": "", "to": "", "days": "", "other-locale": "fr_FR", "other-from": "", "other-to": "",
        "other-days": "", "top": "10", "q": " apple ", "version": "1", "sort": "difference", "utm": "x",
    }  # fmt: skip
    assert as_bob.get(PAGE, sent).headers["Location"] == f"{PAGE}?q=apple"
    assert as_bob.get(PAGE, {"top": "10"}).headers["Location"] == PAGE
    # The other locale is assumed only where it is another.
    assert as_bob.get(PAGE, {"locale": "fr_FR", "other-locale": "en_US"}).headers["Location"] == f"{PAGE}?locale=fr_FR"
    assert as_bob.get(PAGE, {"other-locale": "en_US"}).status_code == 200


@pytest.mark.usefixtures("both")
def test_what_cannot_be_understood_is_said(as_bob: Client) -> None:
    for query, label in (
        ("top=201", "Show the top"),
        ("from=yesterday&version=9", "First side (A): From"),
        ("other-to=1&version=9", "Second side (B): To"),
        ("other-locale=xx", "Second side (B): Locale"),
        ("version=9", "Version"),
        ("sort=rank", "sort"),
    ):
        response = as_bob.get(f"{PAGE}?{query}")
        assert response.status_code == 400
        assert f"<strong>{label}</strong>" in words(response)
        if query != "top=201":  # only a page has so many at most
            assert as_bob.get(f"/use-cases/fruits/comparison.csv?{query}").status_code == 400


def test_a_state_without_results_is_no_viewing(as_bob: Client) -> None:
    define()
    as_bob.get(PAGE)
    assert as_bob.get("/use-cases/fruits/comparison.csv").status_code == 404
    answer = as_bob.get("/api/v1/use-cases/fruits/comparison/")
    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:ldpsite:problem:not-yet"
    assert not Viewing.objects.exists()
