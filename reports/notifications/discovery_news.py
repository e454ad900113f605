"""News of versions that discover words: a list for each day up to which words were searched."""

import datetime
from itertools import groupby
from typing import Final

from django.db.models import QuerySet

from reports.models import Histogram, Version
from reports.notifications.lists import MOST_DELIVERED, WEEK, Lists
from reports.words import rejected_words

SUNDAY: Final = 7
# A week of lists to deliver, each of a week at most, and a week of lists before.
_FETCHED: Final = 3 * WEEK


class DiscoveryNews:
    def shown(self, version: Version) -> QuerySet[Histogram]:
        return version.histograms.all()

    def lists(self, version: Version, locale: str, after: datetime.date, up_to: datetime.date) -> Lists:
        found = version.histograms.ungrouped().filter(locale=locale, last_day__lte=up_to, last_day__gt=up_to - _FETCHED)
        by_day = groupby(
            found.select_related("stored_entries").newest_first(), key=lambda histogram: histogram.last_day
        )
        # The longest of several that end on a day: a list of one day would call new what is known for a week.
        lists = [next(of_day) for _day, of_day in by_day]
        since = [histogram for histogram in lists if histogram.last_day > after][:MOST_DELIVERED]
        return Lists(since, lists[len(since) :]) if since else Lists([], [])

    def is_compared(self, histogram: Histogram) -> bool:
        """Tell whether a list ends a week of the calendar: lists of each day overlap, and would repeat each change."""
        return histogram.last_day.isoweekday() == SUNDAY

    def rejected(self, version: Version, locale: str) -> set[str]:
        return rejected_words(version.use_case, locale)
