"""Histograms made ahead of those who will ask for them: new periods, their weeks, and all periods together."""

import datetime
from collections.abc import Collection, Iterator

from django.db.models import F

from reports.models import Histogram, Period, Version
from reports.models.uploads import utc_today
from reports.publication import Periods, Window, periods_of
from reports.results.changes import Asked, ChangesQuery, find_pairs
from reports.results.groupings import groupings
from reports.results.histograms import made_of, make_histograms

_DAY = datetime.timedelta(days=1)
_WEEK = datetime.timedelta(days=7)
# A window over all days is another each day: of windows longer than a week nothing is kept so long after their end.
KEPT = datetime.timedelta(days=31)


def warm(version: Version, changed: Collection[Period]) -> None:
    """Make the histograms of changed periods, of their weeks that are over, and of the windows that pages open with."""
    revision = version.current_dictionary()
    if revision is None:
        return
    revision.version = version
    found = periods_of(version, sorted({period.locale for period in changed}))
    of_revision = [None, *groupings(revision)]
    for locale, periods in found.items():
        windows = {
            made_of(window, revision): window
            for window in _windows(periods, [period for period in changed if period.locale == locale])
        }
        kept = Histogram.objects.ungrouped().filter(version=version, locale=locale, made_of__in=windows)
        for made in windows.keys() - set(kept.values_list("made_of", flat=True)):
            make_histograms(windows[made], revision, of_revision)
    long_over = {"last_day__gt": F("first_day") + _WEEK, "last_day__lt": utc_today() - KEPT}
    version.histograms.filter(**long_over, revision__isnull=False).delete()
    # A newer day moves the windows of all locales of which it is told what changed.
    find_pairs([Asked(version, [], version.locales)], ChangesQuery())


def _windows(periods: Periods, changed: Collection[Period]) -> Iterator[Window]:
    days = {(period.first_day, period.last_day) for period in changed}
    weeks = {week for first, last in days for week in calendar_weeks(first, last) if week[1] < utc_today()}
    for first, last in [*days, *weeks, (None, None)]:
        window = periods.inside(first, last)
        if window is not None:
            yield window


def calendar_weeks(first: datetime.date, last: datetime.date) -> Iterator[tuple[datetime.date, datetime.date]]:
    """All weeks, from Monday to Sunday, with some of these days."""
    monday = first - first.weekday() * _DAY
    while monday <= last:
        yield monday, monday + 6 * _DAY
        monday += _WEEK
