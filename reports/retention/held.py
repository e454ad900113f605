"""Which raw reports there are of a version, by day: in shards, in quarantine, and waiting as records of devices."""

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Q, Sum

from reports.models import ReadOut, Version
from reports.models.uploads import utc_today


@dataclass
class Held:
    """Raw reports of a version and day, and how many of them no run has counted yet.

    What waits as records of single devices counts only in whole multiples of the minimum, language or region by
    language or region: whoever looks twice would otherwise see the moment at which a device sent.
    """

    version: Version
    day: datetime.date
    reports: int = 0
    never_counted: int = 0
    # Of the parts that are published by themselves, those of one locale that were sealed together, the smallest; and of
    # those that are not counted. From a sum with it the others could be subtracted.
    fewest: int = 0
    fewest_uncounted: int = 0


@dataclass(frozen=True)
class Totals:
    """What several days hold together."""

    days: int
    first_day: datetime.date
    last_day: datetime.date
    reports: int
    never_counted: int
    # As of a day.
    fewest: int
    fewest_uncounted: int


def held(version: Version, days: Q | None = None) -> list[Held]:
    """The days, oldest first; `days` says which, by `day`. A report that is stored in several streams counts once.

    Those on which only few records of devices wait are among them, with no reports.
    """
    first = version.mechanism.streams[0]
    found: dict[datetime.date, Held] = {}
    for day, stream, records, is_counted in _stored(version, days or Q()):
        there = found.setdefault(day, Held(version, day))
        if stream != first or not records:
            continue
        there.reports += records
        there.fewest = min(records, there.fewest or records)
        if not is_counted:
            there.never_counted += records
            there.fewest_uncounted = min(records, there.fewest_uncounted or records)
    return [found[day] for day in sorted(found)]


def _stored(version: Version, days: Q) -> Iterator[tuple[datetime.date, str, int, bool]]:
    """Day, stream, number of records, and whether they are counted; of each part that is published by itself."""
    read = ReadOut.objects.filter(sealing=OuterRef("sealing"), locale=OuterRef("locale"))
    shards = version.shards.filter(days).order_by().annotate(is_counted=Exists(read))
    yield from (
        shards.values("day", "locale", "sealing", "stream", "is_counted")
        .annotate(records=Sum("size"))
        .values_list("day", "stream", "records", "is_counted")
    )
    quarantined = version.quarantined_shards.order_by().annotate(day=F("batch__day")).filter(days)
    suspicious = quarantined.values("day", "locale", "stream").annotate(records=Sum("size"))
    for day, stream, records in suspicious.values_list("day", "stream", "records"):
        yield day, stream, records, False
    minimum = version.use_case.minimum_reports
    waiting = version.device_records.filter(days).order_by().values("day", "stream", "locale")
    for day, stream, records in waiting.annotate(records=Count("pk")).values_list("day", "stream", "records"):
        yield day, stream, records - records % minimum, False


def expired(version: Version, today: datetime.date | None = None) -> list[Held]:
    """The days whose retention is over."""
    return held(version, Q(day__lt=version.use_case.first_day_kept(today or utc_today())))


def totals(days: Iterable[Held]) -> Totals | None:
    """All of them together; None if there are none. Days without a report that may be told of are not told of."""
    found = [each for each in days if each.reports]
    if not found:
        return None
    dates = {each.day for each in found}
    return Totals(
        len(dates),
        min(dates),
        max(dates),
        sum(each.reports for each in found),
        sum(each.never_counted for each in found),
        min(each.fewest for each in found),
        min((each.fewest_uncounted for each in found if each.never_counted), default=0),
    )
