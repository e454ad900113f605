"""The finding of a histogram, computed: who leads, with which error, and what is open."""

from collections.abc import Sequence

import pytest
from django.test import Client
from django.utils import translation

from reports.models import Histogram, HistogramEntries, UseCase
from reports.results import HistogramQuery, histogram_view
from reports.web.pages.histogram.histogram_finding import finding
from reports.web.pages.kinds import page_kind
from tests.reports.changed import two_weeks
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import days_ago, define
from tests.reports.web.pages.reading import PAGE, make_histogram, words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]
NAMES = ("apple", "banana", "cherry", "date", "elder")


def said(*shares: tuple[float, float], top: int | None = None, **query: str) -> str:
    """Return the sentence on estimates, as shares of 10,000 reports with half of their intervals."""
    if not Histogram.objects.exists():
        make_histogram(define(), list(NAMES[: len(shares)]))
    histogram = Histogram.objects.get()
    Histogram.objects.update(n=10_000)
    rows = [
        entry._replace(estimate=1e4 * share, adjusted_lower=1e4 * (share - error), adjusted_upper=1e4 * (share + error))
        for entry, (share, error) in zip(histogram.entries, shares, strict=True)
    ]
    HistogramEntries.of(histogram, rows).save()
    asked = HistogramQuery(first=days_ago(1), last=days_ago(1), top=top, **query)  # type: ignore[arg-type]
    view = histogram_view(UseCase.objects.get(), asked)
    assert view.histogram is not None
    Histogram.objects.filter(pk=view.histogram.pk).update(n=10_000)
    view.histogram.n = 10_000
    return finding(view, view.histogram, page_kind(view.version)).replace("\u2068", "").replace("\u2069", "")


ONE: Sequence[tuple[Sequence[tuple[float, float]], str]] = [
    (
        [(0.124, 0.002), (0.04, 0.002), (0.01, 0.002)],
        "apple leads in English (United States) with 12.40 % ± 0.20; banana is second with 4.00 % ± 0.20.",
    ),
    (
        [(0.124, 0.002), (0.033, 0.002), (0.031, 0.002)],
        "apple leads in English (United States) with 12.40 % ± 0.20; which of banana and cherry is second is open.",
    ),
    (
        [(0.124, 0.002), (0.033, 0.002), (0.031, 0.002), (0.0305, 0.002)],
        "apple leads in English (United States) with 12.40 % ± 0.20; which of 3 elements is second is open.",
    ),
    (
        [(0.083, 0.011), (0.082, 0.011), (0.01, 0.002)],
        (
            "apple and banana lead in English (United States), with 8.20 % to 8.30 % ± 1.10;"
            " which of them is first is open."
        ),
    ),
    (
        [(0.083, 0.002), (0.082, 0.002), (0.081, 0.002), (0.01, 0.002)],
        "3 elements lead in English (United States), with 8.10 % to 8.30 % ± 0.20; which of them is first is open.",
    ),
    ([(0.5, 0.03)], "Only apple is above the threshold in English (United States), with 50.00 % ± 3.00."),
]


@pytest.mark.parametrize(("shares", "words"), ONE, ids=["clear", "second", "several", "two", "three", "one"])
def test_finding_says_who_leads_and_what_is_open(shares: Sequence[tuple[float, float]], words: str) -> None:
    assert said(*shares).replace("\xa0", " ") == words


def test_of_what_is_not_shown_nothing_is_counted() -> None:
    shares = [(0.083, 0.002), (0.082, 0.002), (0.081, 0.002), (0.0805, 0.002)]
    assert said(*shares, top=3).startswith("at least 3 elements lead in English (United States)")
    assert said(*shares, top=1).startswith("apple leads"), "its interval is all that is known"


def test_what_a_search_finds_leads_nothing_else() -> None:
    found = said((0.1, 0.002), (0.04, 0.002), search="banana")
    assert found == "Of what is shown, banana has the largest share: 4.00\xa0%\xa0±\xa00.20."


def test_finding_is_french_for_french_readers() -> None:
    with translation.override("fr"):
        found = said((0.124, 0.002), (0.033, 0.002), (0.031, 0.002)).replace("\xa0", " ").replace("\u202f", " ")
    assert found.startswith("Anglais (États-Unis) : apple arrive en tête avec 12,40 % ± 0,20")


def test_words_and_undivided_use_cases_have_findings_of_their_own(as_bob: Client) -> None:
    find(define_search(), ["yeet", "rizz"])
    assert "yeet leads in English (United States) with" in words(as_bob.get("/use-cases/slang/")).replace("\u2068", "")
    make_histogram(define(locales=["und"]), ["apple", "fig"], locale="und")
    page = words(as_bob.get(f"{PAGE}?from={days_ago(1)}&to={days_ago(1)}"))
    assert "apple and fig lead, with" in page.replace("\u2068", "").replace("\u2069", "")


def test_changes_since_the_window_before_have_verdicts_and_windows_have_columns(as_bob: Client) -> None:
    two_weeks()
    page = words(as_bob.get(PAGE))
    assert "clearly more than before" in page
    assert "clearly less than before" in page
    assert "no clear change" in page
    assert '<td role="cell" class="change up">' in page
    assert "All other elements, not allocated" in page
    french = words(as_bob.get(PAGE + "?locale=fr_FR"))
    assert "clearly more than before" not in french
    assert "no clear change" in french
    # All days have none before.
    assert ">Change<" not in words(as_bob.get(PAGE + "?days=3660")).replace(" ", "")
