"""The headline of a comparison: what differs most, of what differs clearly."""

from datetime import date

import pytest

from reports.models import Histogram, UseCase, Version
from reports.results import HistogramQuery, State
from reports.results.comparison import ComparisonQuery, ComparisonRow, ComparisonView, Share, Side, Verdict
from reports.web.pages.compare.comparison_facts import side_names
from reports.web.pages.compare.comparison_finding import finding

pytestmark = pytest.mark.exact

FRENCH, ENGLISH = Share(0.0819, 0.08, 0.084), Share(0.0119, 0.01, 0.015)
MARCH, APRIL = (date(2026, 3, 1), date(2026, 3, 7)), (date(2026, 4, 1), date(2026, 4, 7))


def found(
    shares: tuple[Share, Share] | None,
    sides: tuple[str, str] = ("fr_FR", "en_US"),
    days: tuple[tuple[date, date], tuple[date, date]] = (MARCH, MARCH),
    clear: int = 32,
    display: str = "❤",
) -> str:
    """The headline where the first side has more, if anything differs."""
    version = Version(locales=["en_US", "fr_FR"], normalization="emoji", use_case=UseCase())
    first, second = (
        Side(locale, HistogramQuery(), version, histogram=Histogram(first_day=begin, last_day=end))
        for locale, (begin, end) in zip(sides, days, strict=True)
    )
    view = ComparisonView(
        UseCase(), version, ComparisonQuery(), State.SHOWN, total=81, more_in_first=clear,
        sides=(first, second),
        leading=shares
        and ComparisonRow(display, display, "", *shares, 0.07, 0.06, 0.08, Verdict.MORE_IN_FIRST),
    )  # fmt: skip
    return finding(view, side_names(view), 2).translate({0xA0: " ", 0x2068: None, 0x2069: None})


def test_the_largest_clear_difference_is_told_with_both_shares_and_how_many_there_are() -> None:
    assert found((FRENCH, ENGLISH)) == (
        "❤\ufe0f (red heart) sets French apart most: 8.2 % against 1.2 %. 32 of 81 elements differ clearly."
    )
    assert found((FRENCH, ENGLISH), clear=1).endswith(" 1 of 81 elements differs clearly.")


def test_below_the_threshold_it_is_a_bound_rounded_up() -> None:
    assert "8.2 % against at most 0.5 %." in found((FRENCH, Share(at_most=0.00401)))


def test_one_locale_over_time_rose_or_fell() -> None:
    sides = ("en_US", "en_US")
    rose = found((FRENCH, ENGLISH), sides, (APRIL, MARCH))
    assert rose.endswith("(red heart) rose most, from 1.2 % to 8.2 %. 32 of 81 elements changed clearly.")
    assert "(red heart) fell most, from 8.2 % to 1.2 %." in found((FRENCH, ENGLISH), sides, (MARCH, APRIL))
    # Neither of two windows that overlap is before the other.
    assert "sets Mar 1 – Apr 7 apart most" in found((FRENCH, ENGLISH), sides, ((MARCH[0], APRIL[1]), APRIL))


def test_nothing_clear_is_said() -> None:
    assert found(None) == "Nothing differs clearly between French and English."
    over_time = found(None, ("en_US", "en_US"), (MARCH, APRIL))
    assert over_time == "Nothing changed clearly between Mar 1 – Mar 7 and Apr 1 – Apr 7."
