"""Clearness of the difference of a row, which orders them."""

import pytest

from reports.results.comparison.comparison_rows import ComparisonRow, Share, Verdict

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_of_what_is_below_only_bounds_count_for_the_order() -> None:
    def row(difference: float | None, lower: float, upper: float, verdict: Verdict) -> ComparisonRow:
        return ComparisonRow("x", "x", "", Share(), Share(), difference, lower, upper, verdict)

    clear = Verdict.MORE_IN_FIRST
    assert row(None, 0.1, 0.5, clear).least == 0.1
    assert row(None, -0.5, -0.2, clear).least == 0.2
    assert row(None, -0.1, 0.2, clear).least == 0
    assert row(-0.3, -0.4, -0.2, clear).least == 0.3
    assert row(0.3, 0.2, 0.4, clear).clearness > row(0.3, 0.1, 0.5, clear).clearness
    assert row(0.3, 0.1, 0.5, clear).clearness > row(0.3, 0.2, 0.4, Verdict.NO_CLEAR_DIFFERENCE).clearness
