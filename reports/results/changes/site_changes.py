"""Changes in all use cases that a reader may see, judged together: how many queries it takes is fixed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from reports.models import UseCase, Version
from reports.publication import Days
from reports.results.caching import cached_each
from reports.results.changes.change_rows import ChangeRow, judged, ordered, rows_of_each
from reports.results.changes.pairs import Asked, find_pairs
from reports.results.changes.query import ChangesQuery
from reports.results.changes.rejected import without_rejected
from reports.results.comparison import FALSE_DISCOVERY_RATE
from reports.results.versions import versions_of_each

# By the key of their use case, that it shows first.
_Versions: TypeAlias = Mapping[int, list[Version]]


@dataclass(frozen=True)
class UseCaseChanges:
    """Clear changes of the newest window of a use case, the largest first."""

    version: Version
    now: Days
    before: Days
    tested: int
    # The smallest threshold of all windows, as a share.
    threshold: float
    clear: tuple[ChangeRow, ...]


@dataclass(frozen=True)
class _Found:
    """Rows of a use case that may be clear, whatever others there are; only these are kept."""

    now: Days
    before: Days
    tested: int
    threshold: float
    candidates: tuple[ChangeRow, ...]


def site_changes(use_cases: Sequence[UseCase]) -> list[UseCaseChanges]:
    """Return what changed in those of which two windows are published, in the order given.

    Which changes are clear is decided of all use cases together.
    """
    shown = _found_of(use_cases)
    candidates = [(version, row) for version, each in shown.items() for row in each.candidates]
    tested = sum(each.tested for each in shown.values())
    clear: dict[Version, list[ChangeRow]] = {version: [] for version in shown}
    rows = judged([row for _version, row in candidates], others=tested - len(candidates))
    for (version, _row), row in zip(candidates, rows, strict=True):
        if row.is_clear:
            clear[version].append(row)
    allowed = without_rejected({version: ordered(own) for version, own in clear.items()})
    return [
        UseCaseChanges(version, each.now, each.before, each.tested, each.threshold, tuple(allowed[version]))
        for version, each in shown.items()
    ]


def _found_of(use_cases: Sequence[UseCase]) -> dict[Version, _Found]:
    """Return what is kept of the use cases of which two windows are published, by the version that they show first."""
    versions = {own[0].use_case_id: own for own in versions_of_each(use_cases)}
    found = cached_each(use_cases, "changes", "", lambda missing: _find(missing, versions))
    known = [(versions[use_case.pk][0], found[use_case.pk]) for use_case in use_cases if use_case.pk in versions]
    return {version: each for version, each in known if each is not None}


def _find(use_cases: Sequence[UseCase], versions: _Versions) -> dict[int, _Found | None]:
    own = [versions[use_case.pk] for use_case in use_cases if use_case.pk in versions]
    asked = [Asked(version, others, version.locales) for version, *others in own]
    found: dict[int, _Found | None] = dict.fromkeys(use_case.pk for use_case in use_cases)
    windows = find_pairs(asked, ChangesQuery())
    rows_of_pairs = iter(rows_of_each([pair for pairs in windows for pair in pairs.of_locales]))
    for each, pairs in zip(asked, windows, strict=True):
        rows = [row for _pair in pairs.of_locales for row in next(rows_of_pairs)]
        compared = [pair for pair in pairs.of_locales if pair.now is not None and pair.before is not None]
        if pairs.now is None or pairs.before is None or not compared:
            continue
        shares = [
            side.histogram.threshold / side.histogram.n
            for pair in compared
            for side in (pair.now, pair.before)
            if side is not None and side.histogram.threshold
        ]
        candidates = tuple(row for row in rows if row.p_value <= FALSE_DISCOVERY_RATE)
        threshold = min(shares, default=1.0)
        found[each.version.use_case_id] = _Found(pairs.now, pairs.before, len(rows), threshold, candidates)
    return found


def clear_changes_of(use_case: UseCase) -> int:
    """Return how many changes its page calls clear, as they were counted last; 0 while that is not of now."""
    kept = use_case.clear_changes
    return int(kept["clear"]) if kept.get("generation") == use_case.generation else 0


def count_clear_changes(use_case: UseCase) -> None:
    """Count the clear changes of the newest week for the card of a use case: a card has no time to compare."""
    clear = {
        version: [row for row in judged(each.candidates, others=each.tested - len(each.candidates)) if row.is_clear]
        for version, each in _found_of([use_case]).items()
    }
    number = sum(map(len, without_rejected(clear).values()))
    kept = {"generation": use_case.generation, "clear": number}
    if use_case.clear_changes != kept:
        UseCase.objects.filter(pk=use_case.pk, generation=use_case.generation).update(clear_changes=kept)
