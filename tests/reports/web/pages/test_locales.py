"""Names of locales and languages, and which way they run."""

import pytest

from reports.web.pages.locales import direction, isolated, language_tag, locale_label, locale_name

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


def test_a_code_is_said_beside_its_name_unless_it_is_none() -> None:
    assert locale_label("fr") == "French · fr"
    assert locale_label("und") == "All locales"


def test_what_runs_from_right_to_left_is_kept_apart() -> None:
    assert [isolated(text) for text in ("word", "يلا", "a1", "אb")] == [
        "word",
        "\u2068يلا\u2069",
        "a1",
        "\u2068אb\u2069",
    ]
