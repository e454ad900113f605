"""Windows: whole periods of a locale that lie between two days."""

import datetime
import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils.functional import cached_property

from reports.models import Period, Version

# The first and the last of some days in a row.
Days: TypeAlias = tuple[datetime.date, datetime.date]

_DAY = datetime.timedelta(days=1)


class Released(NamedTuple):
    """Columns read of a period."""

    pk: int
    first_day: datetime.date
    last_day: datetime.date
    n: int
    revisions: tuple[int, ...]
    # As the database writes it: few readers want it, and of thousands it takes long to read.
    closed: str


_LAST_DAY, _REVISIONS = attrgetter("last_day"), attrgetter("revisions")


# Never changed, though not frozen: of thousands, each would take three times as long to make.
@dataclass(unsafe_hash=True)
class Window:
    """Periods of a locale, in the order of their days: at least one, and all that lie between two days.

    Its own first and last day are those of its periods, so that all ways to ask for the same periods are one window.
    """

    version: Version
    locale: str
    periods: tuple[Released, ...]
    # Any days between these could be asked for, and no other period would be found.
    reach: Days

    @cached_property
    def days(self) -> Days:
        # Nearly all of thousands of windows are a single period.
        last = self.periods[0].last_day if len(self.periods) == 1 else max(map(_LAST_DAY, self.periods))
        return self.periods[0].first_day, last

    @property
    def first_day(self) -> datetime.date:
        return self.days[0]

    @property
    def last_day(self) -> datetime.date:
        return self.days[1]

    @cached_property
    def n(self) -> int:
        return sum(period.n for period in self.periods)

    @property
    def revisions(self) -> frozenset[int]:
        """The keys of all dictionary revisions that some of it is counted by."""
        return _all_of(tuple(dict.fromkeys(map(_REVISIONS, self.periods))))

    @cached_property
    def closed_at(self) -> datetime.datetime:
        """Return the time at which the newest of its periods was closed."""
        # As texts, all in UTC, they have the same order.
        return datetime.datetime.fromisoformat(max(period.closed for period in self.periods))

    @property
    def made_of(self) -> str:
        """A digest of its periods and of the dictionaries that they are counted by."""
        return made_of_periods(self.periods, "")

    def left_out(self, first: datetime.date, last: datetime.date) -> list[Days]:
        """Return the days from the first to the last that none of its periods spans, in stretches."""
        return gaps(((period.first_day, period.last_day) for period in self.periods), first, last)


@lru_cache(maxsize=1024)
def _all_of(revisions: tuple[tuple[int, ...], ...]) -> frozenset[int]:
    return frozenset().union(*revisions)


def gaps(spans: Iterable[Days], first: datetime.date, last: datetime.date) -> list[Days]:
    """Return the days from the first to the last that none of these spans has, in stretches."""
    found: list[Days] = []
    for begin, end in sorted(spans):
        if first < begin and first <= last:
            found.append((first, min(last, begin - _DAY)))
        first = max(first, end + _DAY)
    if first <= last:
        found.append((first, last))
    return found


def made_of_periods(periods: Sequence[Released], rules: str) -> str:
    """Return a digest of periods, of the dictionaries that they are counted by, and of rules as a text."""
    text = f"({[(period.pk, *period.revisions) for period in periods]},{rules})"
    return hashlib.sha256(text.encode()).hexdigest()


def digest_of(parts: object) -> str:
    """Return a digest of plain values."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Periods:
    """Periods of a locale that are shown, in the order of their days; possibly only those within some days."""

    version: Version
    locale: str
    released: tuple[Released, ...]
    # Nothing is known here of periods outside of these days.
    known: Days = (datetime.date.min, datetime.date.max)

    def __bool__(self) -> bool:
        return bool(self.released)

    @cached_property
    def span(self) -> Days | None:
        """The first and the last day of all of them."""
        if not self.released:
            return None
        return self.released[0].first_day, max(period.last_day for period in self.released)

    def between(self, first: datetime.date | None, last: datetime.date | None) -> "Periods":
        """The periods all of whose days lie between two days; an end that is None is open."""
        known = first or datetime.date.min, last or datetime.date.max
        if known == self.known:
            return self
        inside = (each for each in self.released if known[0] <= each.first_day and each.last_day <= known[1])
        return replace(self, released=tuple(inside), known=known)

    def newest(self, up_to: datetime.date | None = None) -> Released | None:
        """The period that ends last, up to a day; of several the longest."""
        ended = (period for period in self.released if up_to is None or period.last_day <= up_to)
        return max(ended, key=lambda period: (period.last_day, -period.first_day.toordinal()), default=None)

    def inside(self, first: datetime.date | None = None, last: datetime.date | None = None) -> Window | None:
        """The window of the periods all of whose days lie between two days; an end that is None is open."""
        first, last = first or datetime.date.min, last or datetime.date.max
        begin, end = bisect_left(self._firsts, first), bisect_right(self._firsts, last)
        inside = tuple(each for each in self.released[begin:end] if each.last_day <= last)
        return Window(self.version, self.locale, inside, self._reach(first, last)) if inside else None

    def _reach(self, first: datetime.date, last: datetime.date) -> Days:
        """Return the widest range around two days that contains no further period."""
        before, after = bisect_left(self._firsts, first), bisect_right(self._lasts, last)
        return (
            max(self._firsts[before - 1] + _DAY if before else datetime.date.min, min(self.known[0], first)),
            min(self._lasts[after] - _DAY if after < len(self._lasts) else datetime.date.max, max(self.known[1], last)),
        )

    @cached_property
    def _firsts(self) -> list[datetime.date]:
        return [each.first_day for each in self.released]

    @cached_property
    def _lasts(self) -> list[datetime.date]:
        return sorted(each.last_day for each in self.released)


def periods_of(
    version: Version, locales: Collection[str], first: datetime.date | None = None, last: datetime.date | None = None
) -> dict[str, Periods]:
    """Load the periods of some locales that are shown, perhaps only those between two days: one query at most."""
    kept: dict[str, Periods] = {} if version.looked_up is None else version.looked_up.setdefault("periods", {})
    if kept.keys() >= set(locales):
        return {locale: kept[locale].between(first, last) for locale in locales}
    rows = version.periods.shown(version.use_case.minimum_reports).inside(first, last).filter(locale__in=locales)
    known = {version.pk: (first or datetime.date.min, last or datetime.date.max)}
    loaded = _released(rows, [(version, locale) for locale in locales], known)
    found = {locale: loaded[version.pk, locale] for locale in locales}
    if first is None and last is None:
        kept.update(found)
    return found


def periods_of_each(
    places: Sequence[tuple[Version, str]], between: Mapping[int, Days] | None = None
) -> dict[tuple[int, str], Periods]:
    """Load the periods that are shown of pairs of a version and a locale, by the key of the version: one query.

    All of them, or those between two days for each version.
    """
    if not places:
        return {}
    known = {version.pk: (datetime.date.min, datetime.date.max) for version, _locale in places} | dict(between or {})
    locales: dict[Version, list[str]] = {}
    for version, locale in places:
        locales.setdefault(version, []).append(locale)
    wanted = Q()
    for version, of_version in locales.items():
        shown = {"version": version, "locale__in": of_version, "n__gte": version.use_case.minimum_reports}
        if between is not None:
            first, last = known[version.pk]
            shown |= {"first_day__gte": first, "last_day__lte": last}
        wanted |= Q(**shown)
    return _released(Period.objects.filter(wanted), places, known)


def _released(
    rows: QuerySet[Period], places: Sequence[tuple[Version, str]], known: Mapping[int, Days]
) -> dict[tuple[int, str], Periods]:
    found: dict[tuple[int, str], list[Released]] = {(version.pk, locale): [] for version, locale in places}
    ordered = rows.order_by("first_day", "last_day", "pk").annotate(closed=Cast("closed_at", TextField()))
    for version_id, locale, pk, first, last, n, revisions, closed in ordered.values_list(
        "version", "locale", *Released._fields
    ):
        found[version_id, locale].append(Released(pk, first, last, n, tuple(revisions), closed))
    return {
        (version.pk, locale): Periods(version, locale, tuple(found[version.pk, locale]), known[version.pk])
        for version, locale in places
    }


def window_of(
    version: Version, locale: str, first: datetime.date | None = None, last: datetime.date | None = None
) -> Window | None:
    """The window of all periods between two days that are shown; None if there is none. An end may be open."""
    return periods_of(version, [locale], first, last)[locale].inside(first, last)


def calendar_units(window: Window, today: datetime.date) -> Iterator[tuple[Days, Sequence[Days]]]:
    """Yield the years within reach of a window that are over, with their months; and else single months, with none."""
    first, last = window.days
    for year in range(first.year, last.year + 1):
        months = [month for month in _months(year) if _reaches(window, month) and month[1] < today]
        whole = datetime.date(year, 1, 1), datetime.date(year, 12, 31)
        if _reaches(window, whole) and whole[1] < today:
            yield whole, months
        else:
            yield from ((month, ()) for month in months)


def _months(year: int) -> Iterator[Days]:
    for month in range(1, 13):
        first = datetime.date(year, month, 1)
        following = datetime.date(year + month // 12, month % 12 + 1, 1) if (year, month) != (9999, 12) else None
        yield first, following - _DAY if following else datetime.date.max


def _reaches(window: Window, days: Days) -> bool:
    return window.reach[0] <= days[0] and days[1] <= window.reach[1]
