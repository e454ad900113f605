"""Locales, numbers and days in words; the file that the Plotly package brings."""

import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.utils.translation import override

from reports.numbers import day_range, factor, percent, plain, small_percent, whole
from reports.pages.locales import direction, isolated, language_tag, locale_label, locale_name
from reports.pages.staticfiles import PlotlyFinder

pytestmark = pytest.mark.exact


@pytest.mark.parametrize(
    ("locale", "name", "tag", "runs"),
    [
        ("en_US", "English (United States)", "en-US", "ltr"),
        ("ar_SA", "Arabic (Saudi Arabia)", "ar-SA", "rtl"),
        ("es_419", "Spanish (Latin America)", "es-419", "ltr"),
        ("fr", "French", "fr", "ltr"),
        ("zh_Hant_TW", "Traditional Chinese (Taiwan)", "zh-Hant-TW", "auto"),
        ("tlh_XX", "tlh (XX)", "tlh-XX", "auto"),
        ("und", "All locales", "und", "auto"),
    ],
)
def test_locales(locale: str, name: str, tag: str, runs: str) -> None:
    assert (locale_name(locale), language_tag(locale), direction(locale)) == (name, tag, runs)


def test_numbers_follow_the_language() -> None:
    assert (whole(12345.6), percent(0.04018)) == ("12,346", "4.02\u00a0%")
    with override("de"):
        assert (whole(12345.6), percent(0.04018)) == ("12.346", "4,02\u00a0%")


def test_a_code_is_said_beside_its_name_unless_it_is_none() -> None:
    assert locale_label("fr") == "French · fr"
    assert locale_label("und") == "All locales"


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
    assert factor(value) == text


def test_what_runs_from_right_to_left_is_kept_apart() -> None:
    assert [isolated(text) for text in ("word", "يلا", "a1", "אb")] == [
        "word",
        "\u2068يلا\u2069",
        "a1",
        "\u2068אb\u2069",
    ]


def test_days() -> None:
    day = datetime.date(2026, 3, 31)
    assert day_range(day, day) == "Mar 31, 2026"
    assert day_range(day, datetime.date(2026, 4, 1)) == "Mar 31, 2026 – Apr 1, 2026"


def test_the_script_of_the_plotly_package_is_found_and_nothing_else_of_it() -> None:
    found = finders.find("plotly/plotly.min.js")
    assert isinstance(found, str)
    assert Path(found).stat().st_size > 1_000_000
    assert not finders.find("plotly/widgetbundle.js")
    assert [path for path, _storage in PlotlyFinder().list(None)] == ["plotly.min.js"]
