"""Up to which days there is something to tell, of each version and locale.

A day is settled when it is over and nothing of it is left to count: what is published of others may still be replaced,
as by the run after midnight of a day that somebody aggregated in the afternoon. Days are told in their order, so that
one that is not settled holds up those after it; but for a week at most, because nobody may ever count it.
"""

import datetime
from collections.abc import Collection, Iterable, Mapping
from typing import Final, TypeAlias

from django.db.models import Count, Exists, Max, OuterRef, Q

from reports.models import DeviceRecord, ReadOut, Run, Shard, Subscription, UseCase, Version
from reports.models.uploads import utc_today
from reports.results import default_version
from reports.subscriptions.lists import lists_of

# By version and locale, such as "1:en_US", a day in ISO format: as the database keeps it.
Days: TypeAlias = Mapping[str, str]

_DAY: Final = datetime.timedelta(days=1)
_HELD_UP: Final = datetime.timedelta(days=7)


def days_of(days: Days, version: Version) -> dict[str, datetime.date]:
    """Those of a version, by locale."""
    split = ((*key.partition(":"), day) for key, day in days.items())
    return {
        locale: datetime.date.fromisoformat(day) for number, _, locale, day in split if number == str(version.number)
    }


def so_far(use_case: UseCase) -> dict[str, str]:
    """What is published and settled now: to whoever subscribes now it is no news."""
    found: dict[str, str] = {}
    for version in use_case.versions.order_by("number"):
        version.use_case = use_case
        ends = _settled(version, version.locales, {})
        published = version.histograms.filter(grouping="", replaced=False)
        # What is published of a day that is not settled ends the day before: that day will be news.
        newest = published.values_list("locale").annotate(newest=Max("last_day")).order_by()
        known = [(locale, min(day, ends[locale])) for locale, day in newest if locale in ends]
        found |= _days(version, known)
    return found


def to_tell(subscription: Subscription) -> dict[str, str]:
    """The newest days that are settled and that its owner has not been told of, of the version that pages show."""
    version = default_version(subscription.use_case)
    if version is None:
        return {}
    version.use_case = subscription.use_case
    told = days_of(subscription.told, version)
    locales = [locale for locale in version.locales if subscription.locale in ("", locale)]
    ends = _settled(version, locales, told)
    lists = ((locale, lists_of(version, locale, told.get(locale), end).since) for locale, end in ends.items())
    return _days(version, [(locale, since[0].last_day) for locale, since in lists if since])


def _days(version: Version, days: Iterable[tuple[str, datetime.date]]) -> dict[str, str]:
    return {f"{version.number}:{locale}": day.isoformat() for locale, day in days}


def _settled(version: Version, locales: Collection[str], told: Mapping[str, datetime.date]) -> dict[str, datetime.date]:
    """The last day of each locale before one that is not settled, of those after what was told."""
    today = utc_today()
    ends = dict.fromkeys(locales, today - _DAY)
    for locale, day in _unsettled(version, today):
        if locale in ends and day > told.get(locale, datetime.date.min):
            ends[locale] = min(ends[locale], day - _DAY)
    return ends


def _unsettled(version: Version, today: datetime.date) -> Iterable[tuple[str, datetime.date]]:
    """Locales and days of the last week of which something is not counted."""
    days = Q(day__gte=today - _HELD_UP, day__lt=today)
    read = ReadOut.objects.filter(sealing=OuterRef("sealing"), locale=OuterRef("locale"))
    shards = version.shards.filter(days).exclude(Exists(read))
    yield from shards.order_by().values_list("locale", "day").distinct()
    # Records of single devices, if there are so many that they are counted on their day: fewer wait for others.
    records = DeviceRecord.objects.filter(days, version=version, stream__in=version.mechanism.report_streams)
    counted = records.values_list("locale", "day").annotate(reports=Count("pk")).order_by()
    enough = max(1, version.use_case.minimum_reports)
    yield from counted.filter(reports__gte=enough).values_list("locale", "day")
    # Words are sketched, which is their read-out, long before they are found.
    if version.discovery is not None:
        runs = version.runs.filter(state__in=Run.UNFINISHED)
        yield from Shard.objects.filter(days, runs__in=runs).order_by().values_list("locale", "day").distinct()
