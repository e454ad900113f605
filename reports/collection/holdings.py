"""Holdings: raw reports as they are published, those of one version, day and locale that were sealed together."""

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Aggregate, Count, Q, QuerySet, Sum

from reports.models import DeviceRecord, MixedRecords, QuarantinedShard, ReadOut, Shard, Version


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


def in_shards(shards: QuerySet[Shard], versions: Mapping[int, Version]) -> Iterator[Holding]:
    """Yield the reports in shards, given versions by primary key; sealings of a day are published one by one."""
    rows = shards.order_by().annotate(is_counted=Shard.counted_by(ReadOut.objects.all()))
    of = "version", "day", "locale", "sealing", "is_counted"
    for (pk, day, _locale, sealing, is_counted), reports in _reports(_by_stream(rows, of, Sum("size")), versions):
        yield Holding(versions[pk], day, reports, is_counted, is_sealed=sealing is not None)


def in_quarantine(shards: QuerySet[QuarantinedShard], versions: Mapping[int, Version]) -> Iterator[Holding]:
    """Yield the reports in quarantine. Their number may still grow, since another batch may join at any time."""
    rows = _by_stream(shards, ("version", "batch__day", "locale"), Sum("size"))
    for (pk, day, _locale), reports in _reports(rows, versions):
        yield Holding(versions[pk], day, reports, is_counted=False, is_sealed=False)


def of_devices(versions: Mapping[int, Version], of: Q | None = None) -> Iterator[Holding]:
    """Yield the device records of versions that wait, perhaps only some of them; they belong to no upload."""
    condition = Q(of or Q(), version__in=list(versions))
    columns = "version", "day", "locale"
    rows = _by_stream(DeviceRecord.objects.filter(condition), columns, Count("pk")).union(
        _by_stream(MixedRecords.objects.filter(condition), columns, Sum("size")), all=True
    )
    for (pk, day, _locale), reports in _reports(rows, versions):
        version = versions[pk]
        yield Holding(version, day, _rounded_to_minimum(reports, version), is_counted=False, is_sealed=False)


def _by_stream(rows: QuerySet[Any], of: Sequence[str], records: Aggregate) -> QuerySet[Any]:
    """Count the records of rows that agree in these columns, and of a stream."""
    counted: QuerySet[Any] = rows.order_by().values(*of, "stream").annotate(n=records)
    return counted.values_list(*of, "stream", "n")


def _reports(rows: Iterable[tuple[Any, ...]], versions: Mapping[int, Version]) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Count the reports of rows that agree in all columns, the version first, from the records of all streams.

    A report may have records in several streams, and counts once; or a record in one of several.
    """
    found: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for *key, stream, number in rows:
        found[tuple(key)][stream] += number
    for of, sizes in found.items():
        yield of, versions[of[0]].mechanism.reports_in(sizes)


def _rounded_to_minimum(reports: int, version: Version) -> int:
    return reports - reports % version.use_case.minimum_reports
