"""Reports that wait to be counted: of which versions, and how many of many use cases."""

import datetime
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection
from django.db.models import Exists, OuterRef, Q, Subquery

from reports.collection import Holding, in_shards, of_devices
from reports.collection.devices import has_enough
from reports.kinds import kind_of
from reports.models import DictionaryRevision, ReadOut, Run, Sealing, Shard, UseCase, Version
from reports.models.devices import has_waiting
from reports.models.uploads import utc_today

# Every page of results asks an owner's use case, and for Django to write it takes longer than to answer it. By the keys
# of versions: joined, the database would rather read all shards there are.
_SHARDS: Final = "SELECT DISTINCT version_id FROM reports_shard AS shard WHERE version_id = ANY(%(versions)s)"
_UNREAD: Final = """
    AND NOT EXISTS (
        SELECT FROM reports_readout WHERE sealing_id = shard.sealing_id AND locale = shard.locale AND {counted}
    )
"""


def uncounted_versions(use_case: UseCase) -> list[Version]:
    """Return the versions with reports that were not counted with their newest dictionary, the newest version first."""
    # A sealing is counted with revisions of its own version. What a version has sketched, which finds its words itself,
    # is counted for good. One after the other: each has its index, and both at once none.
    return _having(use_case, "revision_id = ANY(%(newest)s)", "revision_id IS NULL")


def unseen_versions(use_case: UseCase) -> list[Version]:
    """Return those of them with reports that were never counted, not even with an older dictionary."""
    return _having(use_case, "TRUE")


def _having(use_case: UseCase, *counted: str) -> list[Version]:
    """Return versions with shards that are counted in none of these ways, or with enough device records for a run."""
    newest = DictionaryRevision.objects.filter(version=OuterRef("pk")).order_by("-number").values("pk")[:1]
    rows = use_case.versions.frozen().annotate(waits=has_waiting(version=OuterRef("pk")), newest=Subquery(newest))
    versions = rows.order_by().values_list("pk", "newest", "waits")
    keys = {"versions": [pk for pk, *_rest in versions], "newest": [revision for _pk, revision, _waits in versions]}
    with connection.cursor() as cursor:
        cursor.execute(_SHARDS + "".join(_UNREAD.format(counted=each) for each in counted), keys)
        unread = {pk for (pk,) in cursor.fetchall()}
    found = unread | {pk for pk, _newest, waits in versions if waits}
    there = use_case.versions.filter(pk__in=found).order_by("-number") if found else []
    return [version for version in there if version.pk in unread or has_enough(version)]


@dataclass(frozen=True)
class Uncounted:
    """Reports of a use case that no run has counted, not even with an older dictionary; without those in quarantine.

    Counts of holdings that may still grow, records of single devices and shards that are not sealed, are whole
    multiples of the minimum, day by day and locale by locale: otherwise a second look would give away the moment at
    which one was sent.
    """

    # Keys of those that they are of.
    versions: frozenset[int]
    reports: int
    # The smallest of the holdings that are published by themselves: the others could be subtracted.
    fewest: int
    first_day: datetime.date
    last_day: datetime.date
    # Whether all of them can be counted: a version needs a dictionary, or finds its words itself.
    countable: bool


def uncounted(use_cases: Sequence[UseCase]) -> dict[int, Uncounted | None]:
    """Return them by primary key; None where nothing waits that may be told of. A fixed number of queries."""
    found: dict[int, Uncounted | None] = dict.fromkeys(use_case.pk for use_case in use_cases)
    versions = (
        Version.objects.filter(use_case__in=use_cases)
        .frozen()
        .annotate(has_entries=Exists(DictionaryRevision.objects.filter(version=OuterRef("pk"), size__gt=0)))
        .in_bulk()
    )
    known = {use_case.pk: use_case for use_case in use_cases}
    for version in versions.values():
        version.use_case = known[version.use_case_id]
    holdings: dict[int, list[Holding]] = defaultdict(list)
    for holding in _holdings(versions):
        if holding.rounded:
            holdings[holding.version.use_case_id].append(holding)
    return found | {use_case: _together(there, versions) for use_case, there in holdings.items()}


def _together(holdings: Sequence[Holding], versions: Mapping[int, Any]) -> Uncounted:
    of = frozenset(holding.version.pk for holding in holdings)
    return Uncounted(
        versions=of,
        reports=sum(holding.rounded for holding in holdings),
        fewest=min(holding.rounded for holding in holdings),
        first_day=min(holding.day for holding in holdings),
        last_day=max(holding.day for holding in holdings),
        countable=all(versions[pk].has_entries or not kind_of(versions[pk]).has_dictionary for pk in of),
    )


def _holdings(versions: Mapping[int, Version]) -> Iterator[Holding]:
    candidates = Q(batch__isnull=False) | Q(sealing__in=_unread_sealings(versions))
    yield from in_shards(
        Shard.objects.filter(candidates, version__in=list(versions)).unread(ReadOut.objects.all()), versions
    )
    yield from of_devices(versions)


def _unread_sealings(versions: Mapping[int, Version]) -> set[int]:
    """Return the sealings that may have unread shards: to ask that of every shard takes a third of a second.

    A run reads a sealing as a whole; only one that looks for words, and is under way or has failed, may be half done.
    """
    kept = max((version.use_case.retention_days for version in versions.values()), default=0)
    sealings = Sealing.objects.filter(version__in=list(versions), day__gte=utc_today() - datetime.timedelta(days=kept))
    unread = sealings.exclude(Exists(ReadOut.objects.filter(sealing=OuterRef("pk")))).order_by()
    half = Run.shards.through._default_manager.filter(
        run__version__in=list(versions), run__state__in=[*Run.UNFINISHED, Run.State.FAILED]
    )
    return {*unread.values_list("pk", flat=True), *half.values_list("shard__sealing", flat=True).distinct()}
