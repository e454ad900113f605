"""Days of which something is counted, published or not, and publishing some of what may be."""

import datetime
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any, Final, TypeAlias

from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import Exists, Max, OuterRef

from reports.locks import Lock, try_lock_until_commit
from reports.models import ReadOut, Version
from reports.models.uploads import utc_today
from reports.results.known import Window
from reports.results.publish import may_publish, publish_windows

# What one view of a page publishes at most of what nobody published before: more would keep its reader waiting.
MOST_PUBLISHED: Final = 4
_DAY: Final = datetime.timedelta(days=1)

# Of each locale those that are known, in their order: what lies in a week is then a slice.
Days: TypeAlias = dict[str, list[datetime.date]]

# A row for each locale: in thousands of rows, of a year of all locales, it would take several times as long.
_COUNTED = """
SELECT "locale", array_agg("day" ORDER BY "day"), array_agg("reports" ORDER BY "day")
FROM (
    SELECT "locale", "day", COALESCE(SUM("n") FILTER (WHERE "revision_id" = %(revision)s), 0)::bigint AS "reports"
    FROM "reports_readout"
    WHERE "version_id" = %(version)s AND "locale" = ANY(%(locales)s) AND "day" = ANY(%(days)s) GROUP BY "locale", "day"
) AS "counted"
GROUP BY "locale"
"""


class Counted:
    """What is known of the days of some locales beside what is published of them; three queries, of weeks four.

    Of no days there is nothing to ask.
    """

    def __init__(self, version: Version, locales: Collection[str], days: Collection[datetime.date]) -> None:
        # One for all windows of a view.
        self.today = utc_today()
        self._version = version
        self._minimum = version.use_case.minimum_reports
        self._read: Days = {}
        # As many as days, counted by the newest dictionary.
        self._reports: dict[str, list[int]] = {}
        self._waiting: Days = {}
        if days:
            self._look_up(version, list(locales), list(days))

    def _look_up(self, version: Version, locales: list[str], days: list[datetime.date]) -> None:
        revision = version.current_dictionary()
        given: Mapping[str, Any] = {
            "version": version.pk,
            "revision": revision.pk if revision is not None else None,
            "locales": locales,
            "days": days,
        }
        with connection.cursor() as cursor:
            cursor.execute(_COUNTED, given)
            for locale, read, reports in cursor.fetchall():
                self._read[locale], self._reports[locale] = read, reports
        read = ReadOut.objects.filter(sealing=OuterRef("sealing"), locale=OuterRef("locale"), revision=revision)
        of_days = version.shards.filter(locale__in=locales, day__range=(min(days), max(days))).order_by()
        wanted = set(days)
        waiting = of_days.exclude(Exists(read)).values_list("locale", "day").distinct()
        for locale, day in sorted(waiting):
            if day in wanted:
                self._waiting.setdefault(locale, []).append(day)

    @cached_property
    def newest(self) -> datetime.date:
        """The newest day that is counted in any locale: all pages have to agree which weeks are over."""
        newest = ReadOut.objects.filter(version=self._version).aggregate(newest=Max("day"))["newest"]
        return newest or datetime.date.min

    def within(self, locale: str, first: datetime.date, last: datetime.date) -> tuple[datetime.date, datetime.date]:
        """The window from the first to the last of these days that has counts: as such it is published."""
        found = _between(self._read, locale, first, last)
        return (found[0], found[-1]) if found else (first, last)

    def is_waiting(self, locale: str, first: datetime.date, last: datetime.date) -> bool:
        return bool(_between(self._waiting, locale, first, last))

    def lacking(self, locale: str, first: datetime.date, last: datetime.date) -> tuple[int, int]:
        """How many days of a week have no reports, and how many have some that wait, and none that are counted.

        None where nothing is counted of any of them, but what is published.
        """
        if first == last:
            return 0, 0
        found = _between(self._read, locale, first, last)
        waiting = len(set(_between(self._waiting, locale, first, last)).difference(found))
        return ((last - first).days + 1 - len(found) - waiting, waiting) if found else (0, 0)

    def has_reports(self, locale: str, first: datetime.date, last: datetime.date) -> bool:
        return bool(_between(self._read, locale, first, last))

    def may_be_published(self, locale: str, first: datetime.date, last: datetime.date) -> bool:
        """As far as one sees without its neighbours: whoever publishes decides.

        To be asked of whole weeks: a part of one must not pass for it while the rest waits.
        """
        reports = sum(self._reports[locale][_slice(self._read[locale], first, last)]) if locale in self._read else 0
        return reports > 0 and reports >= self._minimum and not self.is_waiting(locale, first, last)


def _between(days: Days, locale: str, first: datetime.date, last: datetime.date) -> list[datetime.date]:
    found = days.get(locale)
    return found[_slice(found, first, last)] if found else []


def _slice(days: list[datetime.date], first: datetime.date, last: datetime.date) -> slice:
    return slice(bisect_left(days, first), bisect_right(days, last))


def days_between(first: datetime.date, last: datetime.date) -> list[datetime.date]:
    return [first + step * _DAY for step in range((last - first).days + 1)]


def publish_some(version: Version, windows: Iterable[Window]) -> tuple[int, set[Window]]:
    """Publish a few of the windows, the newest first; return how many, and those that are known to be refused.

    Nobody waits for a page: while somebody else publishes, none is.
    """
    keys = {_refusal(version, window): window for window in windows}
    refused = {keys[key] for key in cache.get_many(keys)}
    tried = sorted(set(keys.values()) - refused, key=lambda window: window[2], reverse=True)[:MOST_PUBLISHED]
    if not tried or not may_publish():
        return 0, refused
    with transaction.atomic():
        if not try_lock_until_commit(Lock.PUBLICATIONS, version.pk):
            return 0, refused
        histograms = publish_windows(version, tried)
    new = {window for window, histogram in zip(tried, histograms, strict=True) if histogram is None}
    # So that the next view tries others. Whatever is published makes everything to be tried again.
    cache.set_many({_refusal(version, window): True for window in new})
    return len(tried) - len(new), refused | new


def _refusal(version: Version, window: Window) -> str:
    use_case = version.use_case
    locale, first, last = window
    return f"refused:{version.pk}:{use_case.generation}:{use_case.minimum_reports}:{locale}:{first}:{last}"
