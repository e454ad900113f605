"""The two sides of a comparison: which windows are compared if a query does not say, and what is shown of them."""

import datetime
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from reports.models import Histogram, Version
from reports.publication import Days, NotCounted, Window
from reports.results.availability import State
from reports.results.comparison.comparison_rows import Compared, ComparisonRow
from reports.results.comparison.query import OTHER, ComparisonQuery
from reports.results.counted_elsewhere import CountedBy, counted_by_others
from reports.results.query import HistogramQuery
from reports.results.versions import address_locale, check_locale, counts_alike

DAY: Final = datetime.timedelta(days=1)
# The longest default window: more is mostly of long ago, and takes longer to add up.
LONGEST: Final = 28


@dataclass(frozen=True)
class Side:
    """A locale, the window of it that was asked for, or is assumed, and what is shown of it."""

    locale: str
    query: HistogramQuery
    # That counted the window: another than is asked for, if only that did.
    version: Version
    state: State = State.NOT_YET
    histogram: Histogram | None = None
    # The window of a dictionary; and the days asked for that are in none of its periods.
    window: Window | None = None
    left_out: tuple[Days, ...] = ()
    # Other versions that counted some of these days.
    elsewhere: tuple[CountedBy, ...] = ()

    @property
    def days(self) -> tuple[datetime.date | None, datetime.date | None]:
        """Return the days of the histogram; without one, the requested days."""
        if self.histogram is None:
            return self.query.first, self.query.last
        return self.histogram.first_day, self.histogram.last_day

    def exact(self, version: Version) -> HistogramQuery:
        """Return locale and window, said in full."""
        locale = address_locale(version, self.locale)
        if self.histogram is None:
            return replace(self.query, locale=locale)
        return HistogramQuery(locale=locale, first=self.histogram.first_day, last=self.histogram.last_day)


class Sides(ABC):
    """Finds what is shown of windows of two locales of a version, and compares it; by its kind.

    Where only another version counted a window, its estimates take part, if they are of the same elements.
    """

    def __init__(self, version: Version, others: Sequence[Version], locales: tuple[str, str]) -> None:
        self.version, self.others, self.locales = version, others, locales
        self.alike = [version, *(other for other in others if counts_alike(version, other))]
        self.is_of_one = locales[0] == locales[1]

    @staticmethod
    @abstractmethod
    def check(query: ComparisonQuery) -> None:
        """Raise `NotInVersion` for windows that versions of the kind do not have."""

    @abstractmethod
    def find(self, locale: str, query: HistogramQuery) -> Side: ...

    def nothing(self, locale: str, query: HistogramQuery, state: State) -> Side:
        """Return a side of which nothing is shown; perhaps because a version of another kind counted it."""
        elsewhere = counted_by_others(self.others, locale, query.first, query.last) if query.has_window else ()
        is_theirs = bool(elsewhere) and state == State.NOT_YET
        return Side(locale, query, self.version, State.OTHER_VERSION if is_theirs else state, elsewhere=elsewhere)

    @abstractmethod
    def before(self, histogram: Histogram) -> Side:
        """Find as many days before a window, or else what ends last before it."""

    @abstractmethod
    def newest_of_one(self) -> tuple[Side, Side]:
        """Find two windows of a locale that one may want to compare."""

    @abstractmethod
    def newest_of_both(self) -> HistogramQuery | None:
        """Find the newest window that both locales have, of up to four weeks."""

    @abstractmethod
    def compare(self, first: Side, second: Side, fdr: float) -> Compared | None:
        """Compare two windows by the same α; None if what they are made of is not kept."""

    def allowed(self, rows: Collection[ComparisonRow]) -> list[ComparisonRow]:
        """Return the rows without rejected words."""
        return list(rows)

    def not_counted(self, first: Side, second: Side) -> tuple[NotCounted, ...]:
        """Return the elements that either side does not count in all of it: nothing is said of their differences."""
        return ()

    def answer(self, query: ComparisonQuery) -> tuple[Side, Side]:
        first, second = query.first, query.second
        if first.has_window and second.has_window:
            if self.is_of_one and second.days is not None and second.last is None:
                return self._length_before(first, second)
            return self.both(first, second)
        if first.has_window or second.has_window:
            return self._beside(query, given=int(second.has_window))
        if self.is_of_one:
            return self.newest_of_one()
        window = self.newest_of_both() or HistogramQuery()
        return self.both(window, window)

    def both(self, first: HistogramQuery, second: HistogramQuery) -> tuple[Side, Side]:
        return self.find(self.locales[0], first), self.find(self.locales[1], second)

    def _length_before(self, first: HistogramQuery, second: HistogramQuery) -> tuple[Side, Side]:
        """Find, of one locale, as many days as are asked for on the second side, up to where the first begins.

        Both up to the newest day would be the same reports twice, or some of them.
        """
        found = self.find(self.locales[0], first)
        last = second.last if found.histogram is None else found.histogram.first_day - DAY
        return found, self.find(self.locales[1], replace(second, last=last))

    def _beside(self, query: ComparisonQuery, given: int) -> tuple[Side, Side]:
        """Find one window that is asked for: the other locale has the same days, and the same locale those before."""
        asked = query.second if given else query.first
        known = self.find(self.locales[given], asked)
        histogram = known.histogram
        if not self.is_of_one:
            window = asked if histogram is None else dated(histogram.first_day, histogram.last_day)
            other = self.find(self.locales[1 - given], window)
        else:
            other = known if histogram is None else self.before(histogram)
        return (other, known) if given else (known, other)


def dated(first: datetime.date | None, last: datetime.date | None) -> HistogramQuery:
    return HistogramQuery(first=first, last=last)


def days_before(histogram: Histogram) -> tuple[datetime.date, datetime.date]:
    """Return the first and the last of as many days before its own."""
    first, last = histogram.first_day, histogram.last_day
    return first - (last - first) - DAY, first - DAY


def default_locales(version: Version, query: ComparisonQuery) -> tuple[str, str]:
    """Return the first of the version, and the first other than that of the first side, if there is another."""
    first = version.locales[0]
    compared = query.first.locale or first
    return first, next((locale for locale in version.locales if locale != compared), compared)


def asked_locales(version: Version, query: ComparisonQuery) -> tuple[str, str]:
    """Return the locales of both sides. Raises `NotInVersion` and `QueryError`."""
    defaults = default_locales(version, query)
    found = (query.first.locale or defaults[0], query.second.locale or defaults[1])
    for prefix, locale in zip(("", OTHER), found, strict=True):
        check_locale(version, locale, f"{prefix}locale")
    return found
