"""Shares and differences as they are written."""

import re

import pytest
from django.test import Client
from django.utils.translation import override

from reports.models import Version
from reports.results.comparison import ComparisonRow, Share, Verdict
from reports.web.pages.compare.comparison_numbers import at_most, difference, digits_for, points

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_small_shares_get_more_digits(both: Version, as_bob: Client) -> None:
    assert [digits_for(share) for share in (0.5, 0.01, 0.001, 0.00012, 1e-12)] == [2, 2, 2, 3, 5]
    assert digits_for() == 2
    assert at_most(0.00121, 2) == "at most 0.13\u00a0%"
    assert [points(value, 2) for value in (0.01234, -0.01234, 0.00001, -0.00001)] == ["+1.23", "−1.23", "0.00", "0.00"]

    def row(lower: float, upper: float) -> ComparisonRow:
        return ComparisonRow("x", "x", "", Share(), Share(), None, lower, upper, Verdict.MORE_IN_FIRST)

    assert difference(row(0.01239, 0.1), 2) == "at least +1.23"
    assert difference(row(-0.1, -0.01239), 2) == "at most −1.23"
    assert difference(row(-0.1, 0.1), 2) == ""


def test_where_words_run_from_right_to_left_a_sign_stays_with_its_number() -> None:
    with override("ar"):
        assert re.fullmatch("\u2066\\+1.23\u2069", points(0.01234, 2))
