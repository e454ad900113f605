"""Holdings: raw reports as they are published, those of one version, day and locale that were sealed together."""

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.db.models import Aggregate, Case, Count, Q, QuerySet, Sum, When

from reports.models import DeviceRecord, MixedRecords, ReadOut, Shard, Version
from reports.models.record_files import RecordFileQuerySet
from reports.models.shards import ShardQuerySet


class Holding(NamedTuple):
    """Number of raw reports of a version and day.

    Records of single devices are counted in whole multiples of the minimum: how many more there are is never disclosed.
    """

    version: Version
    day: datetime.date
    reports: int
    # By a run, with whatever dictionary.
    is_counted: bool
    # Nothing joins it any more.
    is_sealed: bool

    @property
    def rounded(self) -> int:
        """Reports, rounded down to a multiple of the minimum while their number may still grow.

        Two looks in a row would otherwise reveal the moment at which a report was sent.
        """
        return self.reports if self.is_sealed else _rounded_to_minimum(self.reports, self.version)


def in_shards(shards: ShardQuerySet, versions: Mapping[int, Version]) -> Iterator[Holding]:
    """Yield the reports in shards, given versions by primary key; sealings of a day are published one by one."""
    rows = shards.annotate(
        is_counted=Shard.counted_by(ReadOut.objects.all()),
        # Until it is complete, the number may still grow.
        sealed=Case(When(sealing__is_complete=True, then="sealing")),
    )
    sizes = rows.sizes("version", "day", "sealed", "is_counted")
    for (pk, day, sealing, is_counted, _locale), reports in _reports(sizes.items(), versions):
        yield Holding(versions[pk], day, reports, is_counted, is_sealed=sealing is not None)


def in_quarantine(shards: RecordFileQuerySet[Any], versions: Mapping[int, Version]) -> Iterator[Holding]:
    """Yield the reports in quarantine. Their number may still grow, since another batch may join at any time."""
    for (pk, day, _locale), reports in _reports(shards.sizes("version", "batch__day").items(), versions):
        yield Holding(versions[pk], day, reports, is_counted=False, is_sealed=False)


def of_devices(versions: Mapping[int, Version], of: Q | None = None) -> Iterator[Holding]:
    """Yield the device records of versions that wait, perhaps only some of them; they belong to no upload."""
    condition = Q(of or Q(), version__in=list(versions))
    rows = _by_stream(DeviceRecord.objects.filter(condition), Count("pk")).union(
        _by_stream(MixedRecords.objects.filter(condition), Sum("size")), all=True
    )
    for (pk, day, _locale), reports in _reports(((tuple(key), n) for *key, n in rows), versions):
        version = versions[pk]
        yield Holding(version, day, _rounded_to_minimum(reports, version), is_counted=False, is_sealed=False)


def _by_stream(rows: QuerySet[Any], records: Aggregate) -> QuerySet[Any]:
    """Count the records of each version, day, locale and stream."""
    columns = "version", "day", "locale", "stream"
    counted: QuerySet[Any] = rows.order_by().values(*columns).annotate(n=records)
    return counted.values_list(*columns, "n")


def _reports(
    rows: Iterable[tuple[tuple[Any, ...], int]], versions: Mapping[int, Version]
) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Count reports, given records of all streams: of a key the version is the first, and the stream the last.

    A report may have records in several streams, and counts once; or a record in one of several.
    """
    found: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for (*key, stream), number in rows:
        found[tuple(key)][stream] += number
    for of, sizes in found.items():
        yield of, versions[of[0]].mechanism.reports_in(sizes)


def _rounded_to_minimum(reports: int, version: Version) -> int:
    return reports - reports % version.use_case.minimum_reports
