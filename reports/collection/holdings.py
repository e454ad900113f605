"""Holdings: raw reports as they are published, those of one version, day and locale that were sealed together."""

import datetime
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Aggregate, Count, QuerySet, Sum

from reports.models import DeviceRecord, QuarantinedShard, ReadOut, Shard, Version


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
    for (pk, day, _locale, sealing, is_counted), reports in _reports(rows, of, Sum("size"), versions):
        yield Holding(versions[pk], day, reports, is_counted, is_sealed=sealing is not None)


def in_quarantine(shards: QuerySet[QuarantinedShard], versions: Mapping[int, Version]) -> Iterator[Holding]:
    """Yield the reports in quarantine. Their number may still grow, since another batch may join at any time."""
    for (pk, day, _locale), reports in _reports(shards, ("version", "batch__day", "locale"), Sum("size"), versions):
        yield Holding(versions[pk], day, reports, is_counted=False, is_sealed=False)


def of_devices(waiting: QuerySet[DeviceRecord], versions: Mapping[int, Version]) -> Iterator[Holding]:
    """Yield the device records that wait, which belong to no upload."""
    for (pk, day, _locale), reports in _reports(waiting, ("version", "day", "locale"), Count("pk"), versions):
        version = versions[pk]
        yield Holding(version, day, _rounded_to_minimum(reports, version), is_counted=False, is_sealed=False)


def _reports(
    rows: QuerySet[Any], of: Sequence[str], records: Aggregate, versions: Mapping[int, Version]
) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Count the reports of rows that agree in these columns, the version first, from the records of all streams.

    A report may have records in several streams, and counts once; or a record in one of several.
    """
    found: dict[tuple[Any, ...], dict[str, int]] = defaultdict(dict)
    for *key, stream, number in (
        rows.order_by().values(*of, "stream").annotate(n=records).values_list(*of, "stream", "n")
    ):
        found[tuple(key)][stream] = number
    for key, sizes in found.items():
        yield key, versions[key[0]].mechanism.reports_in(sizes)


def _rounded_to_minimum(reports: int, version: Version) -> int:
    return reports - reports % version.use_case.minimum_reports
