"""Windows of whole periods that queries mean in versions that count a dictionary."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from reports.models import Version
from reports.models.uploads import utc_today
from reports.publication import Days, Periods, Window, periods_of, periods_of_each
from reports.results.query import USUAL_DAYS, HistogramQuery

# So many days are read of what is new; of the first half of them nothing else is needed than of the second.
_READ: Final = datetime.timedelta(days=60)


@dataclass(frozen=True)
class Span:
    """The first and the last day of which something is shown."""

    first: datetime.date
    last: datetime.date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1


def span_of_periods(periods: Periods) -> Span | None:
    return None if periods.span is None else Span(*periods.span)


def asked_days(periods: Periods, query: HistogramQuery) -> tuple[datetime.date | None, datetime.date | None]:
    """First and last day of what is asked for; a length ends on the newest day there is. An open end is None."""
    return query.bounds(periods.span[1] if periods.span is not None else None)


def asked_window(periods: Periods, query: HistogramQuery) -> Window | None:
    """The periods inside what is asked for. For a length that is too short for any, the newest period."""
    first, last = asked_days(periods, query)
    window = periods.inside(first, last)
    if window is None and query.days is not None:
        newest = periods.newest(last)
        window = newest and periods.inside(newest.first_day, newest.last_day)
    return window


def newest_periods(places: Sequence[tuple[Version, str]]) -> dict[tuple[int, str], Periods]:
    """Load the periods of the last months, for windows that pages open with, of pairs of a version and a locale.

    All periods only of those that have none in the last weeks: of years that takes longer than all else about a page.
    """
    first = utc_today() - _READ
    found = periods_of_each(places, {version.pk: (first, datetime.date.max) for version, _locale in places})
    asleep = [
        (version, locale)
        for version, locale in places
        if (span := found[version.pk, locale].span) is None or span[1] < first + _READ / 2
    ]
    return found | periods_of_each(asleep)


def opening_window(periods: Periods) -> Window | None:
    """Return the window that pages open with."""
    return asked_window(periods, HistogramQuery(days=USUAL_DAYS))


def left_out(periods: Periods, window: Window, query: HistogramQuery) -> list[Days]:
    """Return the requested days up to today that no period of the window spans, as ranges."""
    if not query.has_window or periods.span is None:
        return []
    first, last = asked_days(periods, query)
    if query.days is not None and first is not None:
        # A length asks for no days before the first there is.
        first = max(first, periods.span[0])
    return window.left_out(first or periods.span[0], min(last or periods.span[1], utc_today()))


# Locale, first and last day.
LocaleWindow: TypeAlias = tuple[str, datetime.date, datetime.date]


def published_windows(version: Version, wanted: Collection[LocaleWindow]) -> set[LocaleWindow]:
    """Return the wanted places with a period inside them, in one query."""
    if not wanted:
        return set()
    earliest, latest = min(first for _locale, first, _last in wanted), max(last for _locale, _first, last in wanted)
    periods = periods_of(version, {locale for locale, _first, _last in wanted}, earliest, latest)
    return {place for place in wanted if periods[place[0]].inside(*place[1:]) is not None}
