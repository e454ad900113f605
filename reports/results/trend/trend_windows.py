"""The windows along an axis of days, and why one shows nothing."""

import datetime
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from django.db.models import F, QuerySet, TextField
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast

from reports.models import DictionaryRevision, Histogram, Version
from reports.publication import Days, Periods, Released, Window, periods_of
from reports.results.histograms import kept, made_of, make_histograms
from reports.results.trend.weeks import weeks

_DAY: Final = datetime.timedelta(days=1)


class SlotState(StrEnum):
    SHOWN = "shown"
    # No period lies in it: too few reports, or none.
    NOT_YET = "not-yet"
    # A week that goes on, or whose last days may still come.
    NOT_OVER = "not-over"


class Published(NamedTuple):
    """What is read of a histogram here. A page may have thousands, of which each as a model would take its time."""

    pk: int
    made_of: str
    locale: str
    first_day: datetime.date
    last_day: datetime.date
    n: int
    threshold: float | None
    prescribed_threshold: int | None
    alpha: float
    f2: float
    revision_id: int | None
    # Its number, of one that was counted.
    revision: int | None
    # As the database writes it: few readers want it, and of thousands it takes long to read.
    generated: str
    # The keys of all dictionary revisions that its window is counted by, and of its own.
    revisions: frozenset[int]

    @property
    def generated_at(self) -> datetime.datetime:
        return datetime.datetime.fromisoformat(self.generated)


_PLAIN = Published._fields[:-3]


class Slot(NamedTuple):
    """A place on the axis: a day or a week, or a window that was searched for words."""

    first: datetime.date
    last: datetime.date
    state: SlotState
    histogram: Published | None = None
    # How many days of a week that is shown are in none of its periods.
    missing: int = 0

    @property
    def is_whole(self) -> bool:
        return not self.missing


def slots_of(
    version: Version, locales: Sequence[str], first: datetime.date, last: datetime.date, step: int
) -> dict[str, list[Slot]]:
    """By locale the days or weeks from the first to the last, or what was searched for words and ends there."""
    if version.discovery is not None:
        return _searched(version, locales, first, last, step)
    around = 6 * _DAY if step > 1 else 0 * _DAY  # to whole weeks
    periods = periods_of(version, locales, first - around, last + around)
    if step == 1:
        places = [((day, day), True) for day in days_between(first, last)]
    else:
        places = weeks(version, periods.values(), first, last)
    over = {day: place for place, is_over in places if is_over for day in days_between(*place)}
    windows = {(locale, *window.reach): window for locale in locales for window in _windows(periods[locale], over)}
    shown = dict(zip(windows, shown_windows(version, list(windows.values())), strict=False))
    return {
        locale: [
            _shown(place, windows[locale, *place], histogram)
            if (histogram := shown.get((locale, *place))) is not None
            else Slot(*place, SlotState.NOT_YET if is_over else SlotState.NOT_OVER)
            for place, is_over in places
        ]
        for locale in locales
    }


def _windows(periods: Periods, places: Mapping[datetime.date, Days]) -> Iterator[Window]:
    """The windows of places, given by each of their days, with the periods inside; a year of days in one go."""
    found: dict[Days, list[Released]] = {}
    for period in periods.released:
        place = places.get(period.first_day)
        if place is not None and period.last_day <= place[1]:
            found.setdefault(place, []).append(period)
    return (Window(periods.version, periods.locale, tuple(inside), place) for place, inside in found.items())


def _shown(place: Days, window: Window, histogram: Published) -> Slot:
    missing = sum((until - since).days + 1 for since, until in window.left_out(*place)) if place[0] != place[1] else 0
    return Slot(*place, SlotState.SHOWN, histogram, missing)


def days_between(first: datetime.date, last: datetime.date) -> list[datetime.date]:
    return [first + step * _DAY for step in range((last - first).days + 1)]


def shown_windows(version: Version, windows: Iterable[Window]) -> list[Published]:
    """The histogram of each window of a version, those that are kept in one query; none without a dictionary."""
    revision = version.current_dictionary()
    if revision is None or not revision.size:
        return []
    revision.version = version
    wanted = {made_of(window, revision): window for window in windows}
    counted_by = {key: window.revisions | {revision.pk} for key, window in wanted.items()}
    there = {each.made_of: each for each in _read(kept(wanted), counted_by)}
    return [there.get(key) or _made(window, revision, counted_by[key]) for key, window in wanted.items()]


def _made(window: Window, revision: DictionaryRevision, revisions: frozenset[int]) -> Published:
    (histogram,) = make_histograms(window, revision, [None])
    plain = (getattr(histogram, name) for name in _PLAIN)
    return Published._make((*plain, revision.number, str(histogram.generated_at), revisions))


def lists_of_words(version: Version, locales: Collection[str]) -> QuerySet[Histogram]:
    """The lists that may be seen of these locales."""
    return Histogram.objects.ungrouped().filter(version=version, locale__in=locales)


def _read(
    histograms: QuerySet[Histogram], counted_by: Mapping[str, frozenset[int]] | None = None
) -> Iterator[Published]:
    """Read histograms of windows that are counted by these revisions, by what they are made of; or lists of words."""
    of_words: frozenset[int] = frozenset()
    for row in histograms.values_list(*_PLAIN, "revision__number", Cast("generated_at", TextField())):
        yield Published._make((*row, of_words if counted_by is None else counted_by[row[1]]))


def _searched(
    version: Version, locales: Sequence[str], first: datetime.date, last: datetime.date, step: int
) -> dict[str, list[Slot]]:
    """Windows in which words were found, of at most so many days: of several that end on a day the longest.

    A page makes none of its own, and so only these have a place.
    """
    found = lists_of_words(version, locales).filter(last_day__range=(first, last))
    found = found.filter(first_day__gt=F("last_day") - step * _DAY)
    slots: dict[str, dict[datetime.date, Slot]] = {locale: {} for locale in locales}
    for histogram in _read(found.order_by("locale", "last_day", "first_day")):
        slot = Slot(histogram.first_day, histogram.last_day, SlotState.SHOWN, histogram)
        slots[histogram.locale].setdefault(histogram.last_day, slot)
    return {locale: list(each.values()) for locale, each in slots.items()}


def newest_windows(version: Version, locales: Collection[str]) -> dict[str, Published]:
    """By locale the window that its page opens with: all periods, or the newest list of words."""
    if version.discovery is not None:
        return _newest_lists(version, locales)
    found = (periods.inside() for periods in periods_of(version, locales).values())
    return {each.locale: each for each in shown_windows(version, (window for window in found if window is not None))}


def _newest_lists(version: Version, locales: Collection[str]) -> dict[str, Published]:
    # Each looked up in an index: sorting the windows of years takes longer than all else about a page.
    newest = RawSQL(
        """
        SELECT "newest"."id" FROM unnest(%s::text[]) AS "asked"("locale") CROSS JOIN LATERAL (
            SELECT "id" FROM "reports_histogram"
            WHERE "version_id" = %s AND "locale" = "asked"."locale" AND "grouping" = ''
            ORDER BY "last_day" DESC, "first_day" LIMIT 1
        ) AS "newest"
        """,
        [list(locales), version.pk],
    )
    return {each.locale: each for each in _read(lists_of_words(version, locales).filter(pk__in=newest).order_by())}
