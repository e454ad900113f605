"""How many reports of many use cases wait to be counted."""

import datetime
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q

from reports.collection import Holding, in_shards, of_devices
from reports.models import DeviceRecord, DictionaryRevision, ReadOut, Run, Sealing, Shard, UseCase, Version
from reports.models.uploads import utc_today


@dataclass(frozen=True)
class Uncounted:
    """Reports of a use case that no run has counted, not even with an older dictionary; without those in quarantine.

    What may still grow, records of single devices and shards that are not sealed, counts only in whole multiples of the
    minimum, day by day and locale by locale: whoever looks twice would otherwise see the moment at which one was sent.
    """

    # Keys of those that they are of.
    versions: frozenset[int]
    reports: int
    # Of the pieces that are published by themselves, the smallest: the others could be subtracted.
    fewest: int
    first_day: datetime.date
    last_day: datetime.date
    # Whether all of them can be counted: a version needs a dictionary, or finds its words itself.
    countable: bool


def uncounted(use_cases: Sequence[UseCase]) -> dict[int, Uncounted | None]:
    """By primary key; None where nothing waits that may be told of. A fixed number of queries."""
    found: dict[int, Uncounted | None] = dict.fromkeys(use_case.pk for use_case in use_cases)
    versions = (
        Version.objects.filter(use_case__in=use_cases)
        .frozen()
        .annotate(has_dictionary=Exists(DictionaryRevision.objects.filter(version=OuterRef("pk"), size__gt=0)))
        .in_bulk()
    )
    known = {use_case.pk: use_case for use_case in use_cases}
    for version in versions.values():
        version.use_case = known[version.use_case_id]
    pieces: dict[int, list[Holding]] = defaultdict(list)
    for piece in _pieces(versions):
        if piece.rounded:
            pieces[piece.version.use_case_id].append(piece)
    return found | {use_case: _together(there, versions) for use_case, there in pieces.items()}


def _together(pieces: Sequence[Holding], versions: Mapping[int, Any]) -> Uncounted:
    of = frozenset(piece.version.pk for piece in pieces)
    return Uncounted(
        versions=of,
        reports=sum(piece.rounded for piece in pieces),
        fewest=min(piece.rounded for piece in pieces),
        first_day=min(piece.day for piece in pieces),
        last_day=max(piece.day for piece in pieces),
        countable=all(versions[pk].has_dictionary or versions[pk].discovery is not None for pk in of),
    )


def _pieces(versions: Mapping[int, Version]) -> Iterator[Holding]:
    candidates = Q(batch__isnull=False) | Q(sealing__in=_unread_sealings(versions))
    yield from in_shards(
        Shard.objects.filter(candidates, version__in=list(versions)).unread(ReadOut.objects.all()), versions
    )
    yield from of_devices(DeviceRecord.objects.filter(version__in=list(versions)), versions)


def _unread_sealings(versions: Mapping[int, Version]) -> set[int]:
    """Those that may have shards which nobody has read: to ask that of every shard takes a third of a second.

    A run reads a sealing as a whole; only one that looks for words, and is under way or has failed, may be half done.
    """
    kept = max((version.use_case.retention_days for version in versions.values()), default=0)
    sealings = Sealing.objects.filter(version__in=list(versions), day__gte=utc_today() - datetime.timedelta(days=kept))
    unread = sealings.exclude(Exists(ReadOut.objects.filter(sealing=OuterRef("pk")))).order_by()
    half = Run.shards.through._default_manager.filter(
        run__version__in=[pk for pk, version in versions.items() if version.discovery is not None],
        run__state__in=[*Run.UNFINISHED, Run.State.FAILED],
    )
    return {*unread.values_list("pk", flat=True), *half.values_list("shard__sealing", flat=True).distinct()}
