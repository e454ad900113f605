"""Shares, days, lengths of time and amounts of data, as people read them."""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from django.utils import translation
from django.utils.formats import number_format

from reports.formatting import (
    data_size,
    day_range,
    day_ranges,
    duration,
    percent,
    plain,
    rounded,
    signed,
    small_percent,
    small_percents,
    upper_bound,
    whole,
)

pytestmark = pytest.mark.exact


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.0 s"),
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (9.99, "10.0 s"),
        (10, "10 s"),
        (59.6, "1 min 0 s"),
        (200, "3 min 20 s"),
        (3_600, "1 h 0 min"),
        (86_399, "23 h 59 min"),
        (90_000, "1 d 1 h"),
        (100_000_000, "1,157 d 9 h"),
    ],
)
def test_two_units_say_how_long_something_took(seconds: float, words: str) -> None:
    assert duration(timedelta(seconds=seconds)).replace("\u00a0", " ") == words


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (994, "990 B"),
        (996, "1.0 kB"),
        (1_234, "1.2 kB"),
        (45_678, "46 kB"),
        (999_999, "1.0 MB"),
        (3.14e9, "3.1 GB"),
        (1.26e15, "1,300,000 GB"),
    ],
)
def test_two_digits_say_how_much_it_is(size: float, words: str) -> None:
    assert data_size(size).replace("\u00a0", " ") == words


def test_both_are_written_as_in_the_language_of_the_reader() -> None:
    with translation.override("fr"):
        assert duration(timedelta(seconds=1.5))[:3] == "1,5"
        assert data_size(1_500)[:3] == "1,5"


@pytest.mark.parametrize("language", ["en", "fr", "ar"])
def test_numbers_are_rounded_and_written_as_elsewhere_in_the_language(language: str) -> None:
    with translation.override(language):
        for value in (0, 0.004, 0.005, -0.004, 1, 999.994, 999.995, 1000, -1234.5, 1_234_567.891, 1e15):
            for digits in (0, 1, 2, 5):
                # Django's form of a number that is rounded already.
                known = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
                known = known or abs(known)
                assert rounded(value, digits) == number_format(known, digits, use_l10n=True, force_grouping=True)
            assert whole(value) == rounded(value, 0)


@pytest.mark.parametrize("language", ["en", "fr"])
def test_many_shares_are_written_as_each_by_itself(language: str) -> None:
    shares = [0.0, 1e-12, 2.34e-6, 9.99e-4, 0.001, 0.0123, 0.5, 1.0, 12.5, -0.02]
    with translation.override(language):
        assert list(map(small_percents(), shares)) == list(map(small_percent, shares))
        assert small_percent(2.34e-6)[:7] == ("0.00023" if language == "en" else "0,00023")
        assert small_percent(0.001)[:4] == ("0.10" if language == "en" else "0,10")


def test_halves_go_up_whatever_bits_a_float_has() -> None:
    assert [rounded(value, 1) for value in (8.25, -8.25, 0.05, 2.675e3)] == ["8.3", "-8.3", "0.1", "2,675.0"]
    shares = (0.08245, 0.00145, 0.10005)
    assert [percent(share) for share in shares] == ["8.25\u00a0%", "0.15\u00a0%", "10.01\u00a0%"]
    assert [small_percents()(share) for share in shares] == [percent(share) for share in shares]
    assert [percent(share, 1) for share in (0.0825, 0.1085)] == ["8.3\u00a0%", "10.9\u00a0%"]
    assert [whole(value) for value in (2.5, 3.5, 123_456_789)] == ["3", "4", "123,456,789"]


def test_nothing_is_written_without_a_sign() -> None:
    assert [rounded(value, 2) for value in (-0.0, -0.004, 0.004, -0.006)] == ["0.00", "0.00", "0.00", "-0.01"]
    assert [signed(value, 2) for value in (-0.004, 0.004, 0.006, -1234.5)] == ["0.00", "0.00", "+0.01", "-1,234.50"]
    for written in (percent, small_percent, small_percents()):
        assert written(-0.00001) == "0.00\u00a0%" == written(-0.0)
    with translation.override("fr"):
        assert signed(-0.006, 2, minus="\u2212") == "\u22120,01"


def test_a_day_that_was_written_is_written_again_in_another_language() -> None:
    day = date(2026, 3, 5)
    found = []
    for language in ("en", "fr", "en"):
        with translation.override(language):
            found.append(day_range(day, day))
    assert found[0] == found[2] == "Mar 5, 2026"
    assert found[1] == "5 mars 2026"


@pytest.mark.parametrize("language", ["en", "fr"])
def test_many_windows_are_written_as_each_by_itself(language: str) -> None:
    windows = [(date(2026, 3, 5), date(2026, 3, 5)), (date(2025, 12, 29), date(2026, 1, 4))]
    with translation.override(language):
        assert [day_ranges()(*window) for window in windows] == [day_range(*window) for window in windows]
    assert day_ranges()(*windows[1]) == "Dec 29, 2025 – Jan 4, 2026"


@pytest.mark.parametrize(
    ("value", "text"), [("4", "4"), ("0.50", "0.5"), ("720", "720"), ("1E+3", "1,000"), ("2.125", "2.125")]
)
def test_decimals_keep_their_digits_and_no_zeros(value: str, text: str) -> None:
    assert plain(Decimal(value)) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.5, "50.00"), (0.0123, "1.23"), (0.00101, "0.10"), (0.000123, "0.012"), (1e-5, "0.0010"), (0, "0.00")],
)
def test_a_small_share_keeps_two_digits(share: float, text: str) -> None:
    assert small_percent(share) == f"{text}\u00a0%"


@pytest.mark.parametrize(("value", "text"), [(1, "1.00"), (1.001, "1.01"), (1.1, "1.10"), (2.5, "2.50")])
def test_a_factor_above_one_does_not_pass_for_one(value: float, text: str) -> None:
    assert upper_bound(value) == text
