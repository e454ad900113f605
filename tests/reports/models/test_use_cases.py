"""Values that the fields of use cases, budget groups and versions may have, through all doors."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db.models import Model

from reports.models import BudgetGroup, UseCase, Version

pytestmark = pytest.mark.exact

WHOLE = "Must be a whole number of at least 1, not 0."
# Noun, field, a value that it refuses, and what must be said of that.
REFUSED: list[tuple[type[Model], str, object, str]] = [
    (UseCase, "slug", "Emoji", "lower-case letters and digits, in words joined by hyphens"),
    (UseCase, "slug", "a_b", "hyphens"),
    (UseCase, "slug", "a-", "hyphens"),
    (UseCase, "slug", "a" * 81, "at most 80"),
    (UseCase, "title", "  ", "not empty"),
    (UseCase, "title", "x" * 201, "at most 200"),
    (UseCase, "title", "a\0", "NUL"),
    (UseCase, "description", "\ud83d", "half a surrogate pair"),
    (UseCase, "daily_limit", 0, WHOLE),
    (UseCase, "daily_limit", 2**31, "2147483647"),
    (UseCase, "retention_days", 0, WHOLE),
    (UseCase, "minimum_reports", 0, WHOLE),
    (UseCase, "prescribed_threshold", 0, WHOLE),
    (UseCase, "prescribed_threshold", 2**31, "2147483647"),
    (UseCase, "grace_days", -1, "Must be a whole number of at least 0, not -1."),
    (UseCase, "false_positive_rate", 0.0, "Must be a number above 0 and below 1, not 0.0."),
    (UseCase, "false_positive_rate", 1.0, "Must be a number above 0 and below 1, not 1.0."),
    (UseCase, "false_positive_rate", float("nan"), "above 0 and below 1"),
    (BudgetGroup, "daily_limit", 0, WHOLE),
    (BudgetGroup, "name", "x" * 81, "at most 80"),
    (Version, "normalization", "nfkc", "one of emoji, domain, word, raw, not 'nfkc'"),
    (Version, "locales", [], "at least one locale, such as en_US"),
    (Version, "locales", ["en-US"], "'en-US' has not the form of a locale; write it as en_US, ar or und."),
    (Version, "locales", ["en_us"], "'en_us' has not the form"),
    (Version, "locales", ["en_US\n"], "has not the form"),
    (Version, "locales", [""], "'' has not the form"),
    (Version, "locales", [1], "1 has not the form"),
    (Version, "locales", ["en_US", "fr_FR", "en_US"], "'en_US' stands there twice; keep one of them."),
]


def problems(noun: type[Model], field: str, value: Any) -> list[str]:
    others = {each.name for each in noun._meta.fields} - {field}
    try:
        noun(**{field: value}).clean_fields(exclude=others)
    except ValidationError as error:
        return error.messages
    return []


@pytest.mark.parametrize(("noun", "field", "value", "words"), REFUSED)
def test_refused_with_words_that_help(noun: type[Model], field: str, value: object, words: str) -> None:
    (problem,) = problems(noun, field, value)
    assert words in problem


@pytest.mark.parametrize(
    ("noun", "field", "value"),
    [
        (UseCase, "slug", "a" * 80),
        (UseCase, "title", "x" * 200),
        (UseCase, "false_positive_rate", 0.999),
        (UseCase, "prescribed_threshold", 2**31 - 1),
        (UseCase, "grace_days", 0),
        (UseCase, "daily_limit", 1),
        (UseCase, "description", ""),
        (Version, "locales", ["zh_Hant_TW", "es_419", "fil", "ar", "und"]),
    ],
)
def test_limits_are_inclusive(noun: type[Model], field: str, value: object) -> None:
    assert problems(noun, field, value) == []
