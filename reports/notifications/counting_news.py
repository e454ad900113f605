"""News of versions that count a dictionary: a histogram for each period."""

import datetime

from django.db.models import QuerySet

from reports.models import Histogram, Period, Version
from reports.notifications.lists import MOST_DELIVERED, WEEK, Lists
from reports.publication import Periods, Window, periods_of
from reports.results import histograms_of


class CountingNews:
    def shown(self, version: Version) -> QuerySet[Period]:
        """Select everything with a locale and a last day that has news."""
        return version.periods.shown(version.use_case.minimum_reports)

    def lists(self, version: Version, locale: str, after: datetime.date, up_to: datetime.date) -> Lists:
        """Return what was shown after one day and up to another."""
        revision = version.current_dictionary()
        windows = _single_periods(periods_of(version, [locale])[locale], up_to)
        since = [window for window in windows if window.last_day > after][:MOST_DELIVERED]
        if not since or revision is None or not revision.size:
            return Lists([], [])
        oldest = since[-1]
        before = [
            window
            for window in windows[len(since) :]
            if window.last_day > oldest.last_day - WEEK or window is windows[len(since)]
        ]
        since_and_before = ([(window, revision) for window in windows] for windows in (since, before))
        return Lists(*map(histograms_of, since_and_before))

    def is_compared(self, histogram: Histogram) -> bool:
        """Tell whether changes since the one before are told of a histogram."""
        return True

    def rejected(self, version: Version, locale: str) -> set[str]:
        """Return the words that are no news."""
        return set()


def _single_periods(periods: Periods, up_to: datetime.date) -> list[Window]:
    """Return the windows of single periods, or of several of the same days, that are over, the newest first."""
    days = {(each.first_day, each.last_day) for each in periods.released if each.last_day <= up_to}
    windows = (periods.inside(*each) for each in sorted(days, key=lambda each: (each[1], each[0]), reverse=True))
    return [window for window in windows if window is not None]
