"""Raw reports in the pieces in which they are published: those of one version, day and locale, sealed together."""

import datetime
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Sum

from reports.models import DeviceRecord, QuarantinedShard, ReadOut, Shard, Version


class Piece(NamedTuple):
    """So many reports; none where there is nothing but further streams, in which the same reports are.

    Of records of single devices only whole multiples of the minimum: how many more there are is told to nobody, ever.
    """

    version: Version
    day: datetime.date
    reports: int
    # By a run, with whatever dictionary.
    is_counted: bool
    # Nothing joins it any more.
    is_sealed: bool

    @property
    def lots(self) -> int:
        """Only whole multiples of the minimum of what may still grow.

        Whoever looks twice would otherwise see the moment at which a report was sent.
        """
        return self.reports if self.is_sealed else _lots(self.reports, self.version)


def in_shards(shards: QuerySet[Shard], versions: Mapping[int, Version]) -> Iterator[Piece]:
    """Versions by primary key. A sealing never changes; two of one day are published one after the other."""
    read = ReadOut.objects.filter(sealing=OuterRef("sealing"), locale=OuterRef("locale"))
    rows = (
        shards.order_by()
        .annotate(is_counted=Exists(read))
        .values("version", "day", "locale", "sealing", "stream", "is_counted")
        .annotate(records=Sum("size"))
        .values_list("version", "day", "sealing", "stream", "is_counted", "records")
    )
    for pk, day, sealing, stream, is_counted, records in rows:
        version = versions[pk]
        yield Piece(version, day, _reports(version, stream, records), is_counted, is_sealed=sealing is not None)


def in_quarantine(shards: QuerySet[QuarantinedShard], versions: Mapping[int, Version]) -> Iterator[Piece]:
    """What is released becomes shards, and what is not is never counted; another batch may join it at any time."""
    rows = (
        shards.order_by()
        .values("version", "locale", "stream", day=F("batch__day"))
        .annotate(records=Sum("size"))
        .values_list("version", "day", "stream", "records")
    )
    for pk, day, stream, records in rows:
        version = versions[pk]
        yield Piece(version, day, _reports(version, stream, records), is_counted=False, is_sealed=False)


def of_devices(waiting: QuerySet[DeviceRecord], versions: Mapping[int, Version]) -> Iterator[Piece]:
    """What waits as records, and is no part of an upload's lot."""
    rows = (
        waiting.order_by()
        .values("version", "day", "locale", "stream")
        .annotate(records=Count("pk"))
        .values_list("version", "day", "stream", "records")
    )
    for pk, day, stream, records in rows:
        version = versions[pk]
        reports = _lots(_reports(version, stream, records), version)
        yield Piece(version, day, reports, is_counted=False, is_sealed=False)


def _reports(version: Version, stream: str, records: int) -> int:
    """A report may have records in several streams, and counts once."""
    return version.mechanism.reports_in({stream: records})


def _lots(reports: int, version: Version) -> int:
    return reports - reports % version.use_case.minimum_reports
