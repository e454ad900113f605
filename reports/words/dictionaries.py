"""Named dictionaries: accepted words of a use case, by the name they were accepted under, a part for each locale."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from reports.models import UseCase, WordDecision


@dataclass(frozen=True)
class NamedDictionary:
    """The part of a named dictionary that is of one locale; `size` is in words."""

    name: str
    locale: str
    size: int


def named_dictionaries(use_case: UseCase) -> list[NamedDictionary]:
    """Return a use case's dictionaries that have words, by name and locale."""
    return named_dictionaries_of([use_case.pk]).get(use_case.pk, [])


def named_dictionaries_of(use_cases: Collection[int]) -> dict[int, list[NamedDictionary]]:
    """Return the named dictionaries of many use cases, by use case key; use cases without any are missing."""
    parts = (
        _accepted(use_cases)
        .order_by("use_case_id", "dictionary", "locale")
        .values("use_case_id", "dictionary", "locale")
    )
    found: dict[int, list[NamedDictionary]] = {}
    sized = parts.annotate(size=Count("pk")).values_list("use_case_id", "dictionary", "locale", "size")
    for key, name, locale, size in sized:
        found.setdefault(key, []).append(NamedDictionary(name, locale, size))
    return found


def accepted_words(use_case: UseCase, name: str, locale: str | None = None) -> list[str]:
    """The words of a named dictionary, of one locale or of all, in the order of their code points, each once."""
    accepted = _accepted([use_case.pk]).filter(dictionary=name)
    if locale is not None:
        accepted = accepted.filter(locale=locale)
    return sorted(set(accepted.values_list("word", flat=True)))


def _accepted(use_cases: Collection[int]) -> QuerySet[WordDecision]:
    decisions = WordDecision.objects.filter(use_case__in=use_cases).order_by("use_case_id", "locale", "word", "-pk")
    newest = decisions.distinct("use_case_id", "locale", "word").values("pk")
    return WordDecision.objects.filter(pk__in=newest, verdict=WordDecision.Verdict.ACCEPTED)
