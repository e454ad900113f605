"""Inventory of a version's raw reports by day: in shards, in quarantine, and waiting as device records."""

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import F, Q

from reports.collection import Holding, in_quarantine, in_shards, of_devices
from reports.models import QuarantinedShard, Version
from reports.models.uploads import utc_today


@dataclass
class DayHoldings:
    """Holdings of a version on a day, and how many of them no run has counted yet.

    What waits as records of single devices counts only in whole multiples of the minimum, language or region by
    language or region: two looks would otherwise show the moment at which a device sent.
    """

    version: Version
    day: datetime.date
    reports: int = 0
    never_counted: int = 0
    # The smallest of the parts that are published by themselves (of one locale, sealed together), and of those that are
    # not counted. From a sum with it the others could be subtracted.
    fewest: int = 0
    fewest_uncounted: int = 0


@dataclass(frozen=True)
class Totals:
    """Totals over several days."""

    days: int
    first_day: datetime.date
    last_day: datetime.date
    reports: int
    never_counted: int
    # As of a day.
    fewest: int
    fewest_uncounted: int


def inventory(version: Version, days: Q | None = None, *, to_show: bool = False) -> list[DayHoldings]:
    """Return the days that `days` chooses by `day`, oldest first. A report stored in several streams counts once.

    Those on which only few records of devices wait are among them, with no reports. `to_show`, before any of it is
    deleted: what may still grow is rounded down to the minimum.
    """
    return _by_day(version, _holdings(version, days or Q()), to_show=to_show)


def _by_day(version: Version, holdings: Iterable[Holding], *, to_show: bool = False) -> list[DayHoldings]:
    """Add up a version's holdings by day, oldest first."""
    found: dict[datetime.date, DayHoldings] = {}
    for holding in holdings:
        there = found.setdefault(holding.day, DayHoldings(version, holding.day))
        # Less than the minimum stays what it is: the words for it say no number, only that there is something.
        reports = holding.rounded or holding.reports if to_show else holding.reports
        if not reports:
            continue
        there.reports += reports
        there.fewest = min(reports, there.fewest or reports)
        if not holding.is_counted:
            there.never_counted += reports
            there.fewest_uncounted = min(reports, there.fewest_uncounted or reports)
    return [found[day] for day in sorted(found)]


def _holdings(version: Version, days: Q) -> Iterator[Holding]:
    versions = {version.pk: version}
    yield from in_shards(version.shards.filter(days), versions)
    quarantined = version.quarantined_shards.annotate(day=F("batch__day")).filter(days)
    yield from in_quarantine(quarantined, versions)
    yield from of_devices(versions, days)


def expired(version: Version, today: datetime.date | None = None) -> list[DayHoldings]:
    """Return the days whose retention is over."""
    return inventory(version, Q(day__lt=version.use_case.first_day_kept(today or utc_today())))


def undecided(version: Version, today: datetime.date | None = None, *, to_show: bool = False) -> list[DayHoldings]:
    """Return by day the reports that have been in quarantine for too long, except those whose retention is over too."""
    today = today or utc_today()
    found = version.quarantined_shards.filter(
        QuarantinedShard.undecided(today),
        batch__day__gte=version.use_case.first_day_kept(today),
    )
    return _by_day(version, in_quarantine(found, {version.pk: version}), to_show=to_show)


def totals(days: Iterable[DayHoldings]) -> Totals | None:
    """Add up days; None if no day has reports. Days without a disclosable report are left out."""
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
