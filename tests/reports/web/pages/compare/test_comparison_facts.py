"""Names of the sides of a comparison."""

import pytest

from reports.models import UseCase, Version
from reports.results import HistogramQuery, State
from reports.results.comparison import ComparisonQuery, ComparisonView, Side
from reports.web.pages.compare.comparison_facts import side_names

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_sides_are_called_by_what_they_differ_in_and_days_without_their_year_if_it_is_the_same() -> None:
    def names(*sides: tuple[str, str, str]) -> tuple[str, str]:
        first, second = (
            Side(locale, HistogramQuery.from_parameters({"from": begin, "to": end}), Version(), State.SHOWN)
            for locale, begin, end in sides
        )
        found = side_names(ComparisonView(UseCase(), None, ComparisonQuery(), State.SHOWN, (first, second)))
        return found.first, found.second

    new, old = ("en", "2026-03-02", "2026-03-08"), ("en", "2026-03-01", "2026-03-01")
    assert names(new, old) == ("Mar 2 – Mar 8", "Mar 1")
    assert names(new, ("fr", *new[1:])) == ("English", "French")
    assert names(new, ("fr", *old[1:])) == ("English, Mar 2 – Mar 8", "French, Mar 1")
    assert names(new, ("en", "2025-12-31", "2025-12-31")) == ("Mar 2, 2026 – Mar 8, 2026", "Dec 31, 2025")
