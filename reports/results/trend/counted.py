"""Days of which something is counted, published or not, and publishing some of what may be."""

import datetime
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Final, TypeAlias

from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Sum

from reports.locks import Lock, try_lock_until_commit
from reports.models import ReadOut, Version
from reports.results.known import Window
from reports.results.publish import may_publish, publish_windows

# What one view of a page publishes at most of what nobody published before: more would keep its reader waiting.
MOST_PUBLISHED: Final = 4
_DAY: Final = datetime.timedelta(days=1)

Days: TypeAlias = set[tuple[str, datetime.date]]


class Counted:
    """What is known of the days of some locales beside what is published of them; three queries, of weeks four.

    Of no days there is nothing to ask.
    """

    def __init__(self, version: Version, locales: Collection[str], days: Collection[datetime.date]) -> None:
        self._version = version
        self._minimum = version.use_case.minimum_reports
        self._reports: dict[tuple[str, datetime.date], int] = {}
        self._read: Days = set()
        self._waiting: Days = set()
        if days:
            self._look_up(version, locales, days)

    def _look_up(self, version: Version, locales: Collection[str], days: Collection[datetime.date]) -> None:
        revision = version.current_dictionary()
        read_outs = ReadOut.objects.filter(version=version, locale__in=locales, day__in=days).order_by()
        sums = read_outs.values("locale", "day", "revision").annotate(reports=Sum("n"))
        for locale, day, revision_id, reports in sums.values_list("locale", "day", "revision", "reports"):
            self._read.add((locale, day))
            if revision is not None and revision_id == revision.pk:
                self._reports[locale, day] = reports
        read = ReadOut.objects.filter(sealing=OuterRef("sealing"), locale=OuterRef("locale"), revision=revision)
        shards = version.shards.filter(locale__in=locales, day__in=days).exclude(Exists(read)).order_by()
        self._waiting.update(shards.values_list("locale", "day").distinct())

    @cached_property
    def newest(self) -> datetime.date:
        """The newest day that is counted in any locale: all pages have to agree which weeks are over."""
        newest = ReadOut.objects.filter(version=self._version).aggregate(newest=Max("day"))["newest"]
        return newest or datetime.date.min

    def within(self, locale: str, first: datetime.date, last: datetime.date) -> tuple[datetime.date, datetime.date]:
        """The window from the first to the last of these days that has counts: as such it is published."""
        found = [day for day in days_between(first, last) if (locale, day) in self._read]
        return (found[0], found[-1]) if found else (first, last)

    def is_waiting(self, locale: str, first: datetime.date, last: datetime.date) -> bool:
        return any((locale, day) in self._waiting for day in days_between(first, last))

    def days_without(self, locale: str, first: datetime.date, last: datetime.date) -> int:
        """How many days of a week have no counts; none where nothing is known of any of them, but what is published."""
        if first == last:
            return 0
        found = sum((locale, day) in self._read for day in days_between(first, last))
        return (last - first).days + 1 - found if found else 0

    def has_reports(self, locale: str, first: datetime.date, last: datetime.date) -> bool:
        return any((locale, day) in self._read for day in days_between(first, last))

    def may_be_published(self, locale: str, first: datetime.date, last: datetime.date) -> bool:
        """As far as one sees without its neighbours: whoever publishes decides."""
        days = [(locale, day) for day in days_between(first, last)]
        reports = sum(self._reports.get(day, 0) for day in days)
        return reports > 0 and reports >= self._minimum and not any(day in self._waiting for day in days)


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
