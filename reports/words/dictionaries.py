"""Named dictionaries: accepted words of a use case, by the name they were accepted under, a part for each locale."""

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
    """All of a use case that have words, by name and locale."""
    parts = _accepted(use_case).order_by("dictionary", "locale").values("dictionary", "locale")
    found = parts.annotate(size=Count("pk")).values_list("dictionary", "locale", "size")
    return [NamedDictionary(*part) for part in found]


def accepted_words(use_case: UseCase, name: str, locale: str | None = None) -> list[str]:
    """The words of a named dictionary, of one locale or of all, in the order of their code points, each once."""
    accepted = _accepted(use_case).filter(dictionary=name)
    if locale is not None:
        accepted = accepted.filter(locale=locale)
    return sorted(set(accepted.values_list("word", flat=True)))


def _accepted(use_case: UseCase) -> QuerySet[WordDecision]:
    decisions = WordDecision.objects.filter(use_case=use_case).order_by("locale", "word", "-pk")
    newest = decisions.distinct("locale", "word").values("pk")
    return WordDecision.objects.filter(pk__in=newest, verdict=WordDecision.Verdict.ACCEPTED)
