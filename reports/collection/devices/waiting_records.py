"""Numbers of device records that wait, and whether they are enough to hide among."""

import datetime
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from typing import TypeAlias

from django.db.models import Count, Sum

from reports.models import DeviceRecord, MixedRecords, Version
from reports.models.uploads import utc_today
from reports.models.use_cases import WAITING_DAYS

# Reports by locale and day.
_Counts: TypeAlias = Mapping[str, Mapping[datetime.date, int]]

# Records of one day may be counted on one of so many later days; then too few have come, and they are dropped.
CARRIED_DAYS = WAITING_DAYS


def first_carried(version: Version, day: datetime.date) -> datetime.date:
    """Return the earliest day of arrival that may be counted on a day, also when nothing was sealed for weeks."""
    return max(day - datetime.timedelta(days=CARRIED_DAYS), version.use_case.first_day_kept(day))


def enough_days(
    version: Version, first: datetime.date | None = None, last: datetime.date | None = None
) -> dict[datetime.date, list[str]]:
    """Return the days of a window on which what waits becomes a batch when they are sealed, and of which locales.

    What came on a day, or in the week before it, is counted on that day if it makes up the minimum: alone, for a batch
    shows its own number. If not, it waits for the next. A day that is over and sealed already takes in nothing more.
    """
    today = utc_today()
    last = min(last or today, today)
    waiting = _by_locale(version, day__lte=last)
    if not waiting:
        return {}
    sealed = set(version.sealings.filter(day__lt=today).values_list("day", flat=True))
    # Only on these days what waits grows, save for the last, which is asked about in any case.
    growing = {_open_day(day, sealed) for days in waiting.values() for day in days}
    candidates = {day for day in growing if day <= last} | ({last} - sealed)
    return _enough(version, waiting, sorted(day for day in candidates if first is None or first <= day))


def _open_day(day: datetime.date, sealed: Container[datetime.date]) -> datetime.date:
    """Return the first day, from the one of arrival on, that takes something in."""
    while day in sealed:
        day += datetime.timedelta(days=1)
    return day


def _enough(version: Version, waiting: _Counts, days: Iterable[datetime.date]) -> dict[datetime.date, list[str]]:
    found: dict[datetime.date, list[str]] = defaultdict(list)
    for locale, arrived in sorted(waiting.items()):
        left = dict(arrived)
        for day in days:
            ready = [earlier for earlier in left if first_carried(version, day) <= earlier <= day]
            if ready and sum(left[earlier] for earlier in ready) >= version.use_case.minimum_reports:
                found[day].append(locale)
                left = {later: left[later] for later in left if later not in ready}
    return dict(sorted(found.items()))


def _by_locale(version: Version, **days: datetime.date) -> _Counts:
    of = {"version": version, "stream__in": version.mechanism.report_streams, **days}
    came = DeviceRecord.objects.filter(**of).values_list("locale", "day").annotate(reports=Count("pk"))
    mixed = MixedRecords.objects.filter(**of).values_list("locale", "day").annotate(reports=Sum("size"))
    counts: dict[str, Counter[datetime.date]] = defaultdict(Counter)
    for locale, day, reports in came.union(mixed, all=True):
        counts[locale][day] += reports
    return counts


def has_enough(version: Version) -> bool:
    """Tell whether enough records wait in some locale to be counted today."""
    waiting = _by_locale(version, day__gte=first_carried(version, utc_today()))
    return any(sum(days.values()) >= version.use_case.minimum_reports for days in waiting.values())
