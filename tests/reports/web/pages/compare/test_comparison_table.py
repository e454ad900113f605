"""The rows of a comparison: the same on the page, in its chart and in its files, and what is said of each."""

import pytest
from django.core.cache import cache
from django.test import Client

from reports.models import Histogram, UseCase
from reports.results.comparison import ComparisonRow, Share, Verdict
from reports.web.pages.compare import comparison_table
from reports.web.pages.compare.comparison_numbers import difference_interval
from reports.web.pages.compare.comparison_table import but
from tests.reports.small_fleet import aggregate, days_ago, define_words, send_words
from tests.reports.web.pages.compare.reading import PAGE, cells
from tests.reports.web.pages.reading import chart, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_rows_whose_interval_seems_to_say_something_else_say_so() -> None:
    def said(lower: float | None, upper: float | None, verdict: Verdict, difference: float | None = 0.001) -> str:
        return but(ComparisonRow("x", "x", "", Share(), Share(), difference, lower, upper, verdict))

    clear, unclear = Verdict.MORE_IN_FIRST, Verdict.NO_CLEAR_DIFFERENCE
    assert said(0.001, 0.01, clear) == ""
    assert said(-0.01, -0.001, Verdict.MORE_IN_SECOND) == ""
    assert said(-0.001, 0.01, unclear) == ""
    assert said(0.001, 0.01, unclear) == "although its interval does not include zero"
    assert said(0.0004, 0.01, unclear, difference=None) == "although its interval does not include zero"
    assert said(None, None, Verdict.NOT_COMPARABLE, difference=None) == ""


def test_no_end_of_an_interval_that_excludes_zero_is_written_as_zero() -> None:
    def written(lower: float, upper: float, difference: float | None = 0.001) -> str:
        clear = Verdict.MORE_IN_FIRST
        return difference_interval(ComparisonRow("x", "x", "", Share(), Share(), difference, lower, upper, clear), 2)

    assert written(-0.00004, 0.01) == "0.00 to +1.00"
    assert written(0.00004, 0.01) == "+0.004 to +1.000"
    # Bounds are no tighter than they are.
    assert written(0.000049, 0.01, difference=None) == "+0.004 to +1.000"


@pytest.mark.usefixtures("both")
def test_what_clear_means_stands_in_one_place_and_beside_the_rows_it_is_about(
    as_bob: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = words(as_bob.get(PAGE))
    assert page.count("false discovery rate") == 1
    assert "although its interval" not in page.partition("</form>")[2].partition("<table")[2]
    # Here verdicts and intervals agree; elsewhere a test of many may be stricter.
    monkeypatch.setattr(comparison_table, "but", lambda row: "although" if row.display == "apple" else "")
    assert cells(as_bob.get(PAGE))["apple"][3] == "● English * (although)"
    cache.clear()
    hovers = [
        text for trace in chart(as_bob.get(PAGE))["data"] for text in trace.get("hovertext", ()) if "apple" in text
    ]
    assert hovers
    assert all(text.endswith("in English, although") for text in hovers)


def test_words_that_one_locale_does_not_report_are_said_not_to_be(as_bob: Client) -> None:
    version = define_words(alphabet={"en_US": "abeilost", "fr_FR": "abeilosté"})
    send_words(version, 600, words={"lol": 0.6, "able": 0.4}, day=days_ago(1))
    send_words(version, 600, locale="fr_FR", words={"lol": 0.4, "bébé": 0.6}, day=days_ago(1))
    aggregate(version)
    response = as_bob.get("/use-cases/words/compare/")
    found = cells(response)
    assert found["bébé"][0] == "not reported"
    assert found["bébé"][2:] == ["—", "– cannot be compared"]
    assert "devices of this locale do not report words with such letters" in words(response)
    assert any(entry.display == "bébé" for each in Histogram.objects.all() for entry in each.entries)
    # A window of words has no length to choose.
    assert as_bob.get("/use-cases/words/compare/?days=7").headers["Location"] == "/use-cases/words/compare/"
    assert UseCase.objects.count() == 1
