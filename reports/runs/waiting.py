"""How many reports of many use cases wait to be counted."""

import datetime
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, Sum

from reports.models import DeviceRecord, DictionaryRevision, ReadOut, Run, Sealing, Shard, UseCase, Version
from reports.models.uploads import utc_today


@dataclass(frozen=True)
class Uncounted:
    """Reports of a use case that no run has counted, not even with an older dictionary; without those in quarantine.

    Records of single devices count only in whole multiples of the minimum, day by day and locale by locale: whoever
    looks twice would otherwise see the moment at which a device sent.
    """

    # Keys of those that they are of.
    versions: frozenset[int]
    reports: int
    # Of the days of a version that have some, the fewest that one has.
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
        .exclude(state=Version.State.DRAFT)
        .select_related("use_case")
        .annotate(has_dictionary=Exists(DictionaryRevision.objects.filter(version=OuterRef("pk"), size__gt=0)))
        .in_bulk()
    )
    days: dict[int, dict[tuple[int, datetime.date], int]] = defaultdict(lambda: defaultdict(int))
    for pk, day, reports in (*_in_shards(versions), *_of_devices(versions)):
        if reports:
            days[versions[pk].use_case_id][pk, day] += reports
    return found | {use_case: _together(there, versions) for use_case, there in days.items()}


def _together(days: Mapping[tuple[int, datetime.date], int], versions: Mapping[int, Any]) -> Uncounted:
    of = frozenset(pk for pk, _day in days)
    return Uncounted(
        versions=of,
        reports=sum(days.values()),
        fewest=min(days.values()),
        first_day=min(day for _pk, day in days),
        last_day=max(day for _pk, day in days),
        countable=all(versions[pk].has_dictionary or versions[pk].discovery is not None for pk in of),
    )


def _in_shards(versions: Mapping[int, Version]) -> Iterator[tuple[int, datetime.date, int]]:
    done = ReadOut.objects.filter(sealing=OuterRef("sealing"), locale=OuterRef("locale"))
    candidates = Q(batch__isnull=False) | Q(sealing__in=_unread_sealings(versions))
    shards = Shard.objects.filter(candidates, version__in=list(versions)).exclude(Exists(done)).order_by()
    rows = shards.values("version", "day", "stream").annotate(records=Sum("size"))
    for version, day, stream, records in rows.values_list("version", "day", "stream", "records"):
        if stream == versions[version].mechanism.streams[0]:  # a report has a record in each stream
            yield version, day, records


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


def _of_devices(versions: Mapping[int, Version]) -> Iterator[tuple[int, datetime.date, int]]:
    waiting = DeviceRecord.objects.filter(version__in=list(versions)).order_by()
    rows = waiting.values("version", "day", "locale", "stream").annotate(records=Count("pk"))
    for version, day, stream, records in rows.values_list("version", "day", "stream", "records"):
        if stream == versions[version].mechanism.streams[0]:
            yield version, day, records - records % versions[version].use_case.minimum_reports
