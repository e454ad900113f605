"""Decisions about words: they are only ever added, and the newest about a word counts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import validate_slug
from django.db import transaction
from django.utils.translation import gettext as _

from aggregation.normalization import PAD
from reports import access
from reports.export_orders import export_anew
from reports.models import HistogramEntries, UseCase, WordDecision
from reports.models.validators import is_storable

Verdict = WordDecision.Verdict
Kind = WordDecision.Kind


def _longest(field: str) -> int:
    """Return the number of characters that the database takes."""
    length: int = WordDecision._meta.get_field(field).max_length  # type: ignore[union-attr, assignment]
    return length


LONGEST_WORD, LONGEST_DICTIONARY, LONGEST_NOTE = map(_longest, ("word", "dictionary", "note"))


@dataclass(frozen=True)
class Decided:
    """A requested decision about a word, written without pads."""

    word: str
    verdict: str
    # The named dictionary that an accepted word goes into.
    dictionary: str = ""
    note: str = ""
    # The decision that was shown when this was chosen: its key, or 0 if there was none. With None nothing was shown,
    # and whatever holds is replaced.
    seen: int | None = None
    # The kind of an accepted word, if one was chosen.
    kind: str = ""


@dataclass(frozen=True)
class Problem:
    """Reason why nothing was stored; `field` names the part of the `Decided` that is to be mended."""

    word: str
    field: str
    detail: str


class DecisionsRefused(ValueError):
    """Refusal of decisions, none of which was stored."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(problem.detail for problem in problems))
        self.problems = problems


@dataclass(frozen=True)
class Outcome:
    """Outcome of decisions. Decisions about words that another person sorted meanwhile are not stored."""

    stored: list[WordDecision] = field(default_factory=list)
    # The decision that holds instead, by word.
    overtaken_by: dict[str, WordDecision] = field(default_factory=dict)


def newest_decisions(use_case: UseCase, locale: str) -> dict[str, WordDecision]:
    """The decision that counts, by word without pads; words without a decision are missing."""
    decisions = WordDecision.objects.filter(use_case=use_case, locale=locale).select_related("decided_by")
    return {decision.word: decision for decision in decisions.order_by("word", "-pk").distinct("word")}


def rejected_words(use_case: UseCase, locale: str) -> set[str]:
    decisions = newest_decisions(use_case, locale)
    return {word for word, decision in decisions.items() if decision.verdict == Verdict.REJECTED}


def decide(person: access.Person, use_case: UseCase, locale: str, decided: Iterable[Decided]) -> Outcome:
    """Store what is different from what holds, together or not at all.

    Raises `PermissionDenied` for users who may not edit the use case, and `DecisionsRefused` with every problem found.
    """
    if not access.use_cases(person, "edit").filter(pk=use_case.pk).exists():
        raise PermissionDenied
    wanted = {each.word: each for each in decided}
    problems = [problem for each in wanted.values() for problem in _problems(each)]
    if problems:
        raise DecisionsRefused(problems)
    with transaction.atomic():
        # One at a time for each use case, so that no decision is replaced unseen.
        UseCase.objects.select_for_update(no_key=True).get(pk=use_case.pk)
        holding = newest_decisions(use_case, locale)
        _check_published(use_case, locale, wanted, holding)
        outcome = Outcome()
        for each in wanted.values():
            now = holding.get(each.word)
            if _content(each) == _content(now):
                continue
            if now is not None and each.seen not in (None, now.pk):
                outcome.overtaken_by[each.word] = now
                continue
            outcome.stored.append(
                WordDecision(
                    use_case=use_case,
                    locale=locale,
                    word=each.word,
                    verdict=each.verdict,
                    dictionary=each.dictionary,
                    kind=each.kind,
                    note=each.note,
                    decided_by_id=person.pk,
                )
            )
        WordDecision.objects.bulk_create(outcome.stored)
        UseCase.renew_generation(use_case.pk)  # lists leave out what was rejected
        if outcome.stored:
            export_anew(use_case)
    return outcome


def _content(decision: Decided | WordDecision | None) -> tuple[str, str, str, str]:
    """Return a decision's content; without a decision the word is undecided."""
    if decision is None:
        return (Verdict.UNDECIDED, "", "", "")
    return (decision.verdict, decision.dictionary, decision.kind, decision.note)


def _problems(each: Decided) -> Iterator[Problem]:
    if not is_storable(each.word) or PAD in each.word or not 1 <= len(each.word) <= LONGEST_WORD:
        yield Problem(each.word, "word", _("This is no word that can be discovered."))
    if each.verdict not in Verdict.values:
        yield Problem(each.word, "verdict", _("Choose one of the verdicts."))
    elif each.verdict == Verdict.ACCEPTED:
        if not each.dictionary:
            yield Problem(each.word, "dictionary", _("Name the dictionary that accepted words go into."))
        elif not _is_slug(each.dictionary):
            words = _("Name it with at most %(most)s letters from a to z, digits, hyphens and underscores.")
            yield Problem(each.word, "dictionary", words % {"most": LONGEST_DICTIONARY})
    elif each.dictionary:
        yield Problem(each.word, "dictionary", _("Only accepted words go into a dictionary."))
    yield from _problems_of_kind(each)
    if len(each.note) > LONGEST_NOTE:
        words = _("The note is longer than %(most)s characters; shorten it.")
        yield Problem(each.word, "note", words % {"most": LONGEST_NOTE})
    elif not is_storable(each.note):
        yield Problem(each.word, "note", _("The note holds a NUL or half a character; remove it."))


def _problems_of_kind(each: Decided) -> Iterator[Problem]:
    if each.kind and each.verdict != Verdict.ACCEPTED:
        yield Problem(each.word, "kind", _("Only accepted words have a kind."))
    elif each.kind and each.kind not in Kind.values:
        yield Problem(each.word, "kind", _("Choose one of the kinds."))


def _is_slug(text: str) -> bool:
    try:
        validate_slug(text)
    except ValidationError:
        return False
    return len(text) <= LONGEST_DICTIONARY


def _check_published(
    use_case: UseCase, locale: str, wanted: Mapping[str, Decided], holding: Mapping[str, WordDecision]
) -> None:
    """Refuse words that are neither shown nor sorted already. (Replaced histograms have no entries.)"""
    unknown = set(wanted) - set(holding)
    lists = HistogramEntries.objects.filter(
        histogram__version__use_case=use_case, histogram__locale=locale, histogram__discovery__isnull=False
    )
    missing = unknown
    # Nearly always the newest has all.
    newest_first = lists.order_by("-histogram__last_day").iterator(chunk_size=10) if unknown else iter(())
    while missing and (entries := next(newest_first, None)) is not None:
        missing = missing.difference(display for _element, display, _category in entries.texts)
    if missing:
        detail = _("This is not among the words that are shown.")
        raise DecisionsRefused([Problem(word, "word", detail) for word in wanted if word in missing])
