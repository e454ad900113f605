"""Trends of versions that count a dictionary: a window of periods for each day, or for each week of the calendar."""

import datetime
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from django.db.models import Max, Min, Q

from reports.models import DictionaryEntry, DictionaryRevision, Period, Version
from reports.models.uploads import utc_today
from reports.publication import Days, Periods, Released, Window, periods_of, window_of
from reports.results.availability import State
from reports.results.caching import cached
from reports.results.counted import Span, newest_periods, opening_window
from reports.results.histogram_rows import matches
from reports.results.histograms import histograms_of, kept, made_of_each, make_histograms
from reports.results.trend.elements import TEXTS, Texts, letters_first
from reports.results.trend.trend_windows import PLAIN, Published, Slot, SlotState, read_published
from reports.results.versions import current_dictionaries
from reports.results.warming import calendar_weeks

_DAY: Final = datetime.timedelta(days=1)
# So long after a week one need not wait for its last days any more, if nothing came.
PATIENCE: Final = datetime.timedelta(days=8)
# An interval that reaches further than this part of the estimate, to either side, hides most changes: such days are
# better read in weeks, unless there are so few that there would hardly be a line.
NOISY: Final = 0.1
FEWEST_DAYS: Final = 28
# Up to this size the names of all elements of a dictionary are looked through.
_NAMED: Final = 10_000


class CountingTrend:
    nothing_shown = State.NOT_YET
    # A week, so that no Sunday is compared with a Monday.
    compared_windows = 7

    def span(self, version: Version, locales: Collection[str]) -> Span | None:
        shown = version.periods.shown(version.use_case.minimum_reports).filter(locale__in=locales)
        ends = shown.aggregate(first=Min("first_day"), last=Max("last_day"))
        return None if ends["first"] is None else Span(ends["first"], ends["last"])

    def slots(
        self, version: Version, locales: Sequence[str], first: datetime.date, last: datetime.date, step: int
    ) -> dict[str, list[Slot]]:
        around = 6 * _DAY if step > 1 else 0 * _DAY  # to whole weeks
        periods = periods_of(version, locales, first - around, last + around)
        if step == 1:
            places = [((day, day), True) for day in _days_between(first, last)]
        else:
            places = _weeks(version, periods.values(), first, last)
        over = {day: place for place, is_over in places if is_over for day in _days_between(*place)}
        nothing = {
            place: Slot(*place, SlotState.NOT_YET if is_over else SlotState.NOT_OVER, version)
            for place, is_over in places
        }
        found = {locale: nothing.copy() for locale in locales}
        for window, each in _shown_windows([each for locale in locales for each in _windows(periods[locale], over)]):
            place = window.reach
            left_out = tuple(window.left_out(*place)) if step > 1 else ()
            found[window.locale][place] = Slot(*place, SlotState.SHOWN, version, each, left_out)
        return {locale: [*own.values()] for locale, own in found.items()}

    def day_of(self, slot: Slot) -> datetime.date:
        return slot.first

    def most_points(self, days: int, step: int) -> int:
        return days // step + 1

    def newest(self, places: Sequence[tuple[Version, str]]) -> dict[tuple[int, str], Published]:
        found = (opening_window(periods) for periods in newest_periods(places).values())
        shown = _shown_windows([window for window in found if window is not None])
        return {(window.version.pk, window.locale): each for window, each in shown}

    def opening_step(self, version: Version, locale: str, span: Span | None, *, weeks_if_noisy: bool) -> int:
        """Return 7 where the interval of the largest element of the newest day is wide, if there are weeks to show."""
        if not weeks_if_noisy or span is None or span.days < FEWEST_DAYS:
            return 1
        noisy = cached(version.use_case, "noisy", f"{version.pk}:{locale}", lambda: _is_noisy(version, locale, span))
        return 7 if noisy else 1

    def hidden(self, version: Version, locale: str) -> set[str]:
        return set()

    def rejected(self, version: Version, texts: Collection[str]) -> dict[str, set[str]]:
        return {}

    def texts(
        self, version: Version, elements: Collection[str], rejected: Mapping[str, Collection[str]]
    ) -> Iterable[Texts]:
        # Elements of dictionaries are no secret for those who see results. The newest is last, and stays.
        counted = DictionaryEntry.objects.filter(element__in=elements, revision__version=version)
        return counted.order_by("revision__number").values_list(*TEXTS)

    def search(self, version: Version, locale: str, wanted: str, most: int) -> Iterable[Texts]:
        """Search by letters in the database, and by names, which it does not know, if there are not too many."""
        revision = version.current_dictionary()
        if revision is None:
            return []
        entries = revision.entries.order_by("position").values_list(*TEXTS)
        if version.normalization == "emoji" and revision.size <= _NAMED:
            named = (row for row in entries if matches(version, row[0], row[1], wanted))
            return islice(named, most)
        by_letters = Q(display__icontains=wanted) | Q(element__icontains=wanted)
        return letters_first(entries.filter(by_letters).order_by()[:1000], wanted)[:most]


def _days_between(first: datetime.date, last: datetime.date) -> list[datetime.date]:
    return [first + step * _DAY for step in range((last - first).days + 1)]


def _weeks(
    version: Version, periods: Collection[Periods], first: datetime.date, last: datetime.date
) -> list[tuple[Days, bool]]:
    """List weeks from Monday to Sunday with whether each is over; one that goes on only if a period lies in it.

    Weeks are those of the calendar, at whatever time they are asked for. A week is over as soon as any locale of any
    version has a period up to its end: all pages have to agree.
    """
    today = utc_today()
    shown = Period.objects.filter(version__use_case=version.use_case).shown(version.use_case.minimum_reports)
    newest = shown.aggregate(newest=Max("last_day"))["newest"] or datetime.date.min
    found = []
    for monday, sunday in calendar_weeks(first, last):
        is_over = sunday < today and (sunday + PATIENCE <= today or sunday <= newest)
        if is_over or any(each.inside(monday, sunday) is not None for each in periods):
            found.append(((monday, sunday), is_over))
    return found


def _windows(periods: Periods, places: Mapping[datetime.date, Days]) -> Iterator[Window]:
    """Yield the windows of places, given by each of their days, with the periods inside; a year of days in one go."""
    found: dict[Days, list[Released]] = {}
    for period in periods.released:
        place = places.get(period.first_day)
        if place is not None and period.last_day <= place[1]:
            found.setdefault(place, []).append(period)
    return (Window(periods.version, periods.locale, tuple(inside), place) for place, inside in found.items())


def _shown_windows(windows: Sequence[Window]) -> list[tuple[Window, Published]]:
    """Return windows with their histograms, those that are kept in one query; not of versions without a dictionary."""
    # They may be thousands, and `pk` takes ten times as long as `id`.
    dictionaries = current_dictionaries({window.version.id: window.version for window in windows}.values())
    counted = [(window, each) for window in windows if (each := dictionaries.get(window.version.id)) is not None]
    keys = made_of_each(counted)
    same = kept(dict(zip(keys, (window for window, _revision in counted), strict=True)))
    by = {key: _together(window.revisions, revision.id) for key, (window, revision) in zip(keys, counted, strict=True)}
    there = {each.made_of: each for each in read_published(same, by)}
    return [
        (window, there.get(key) or _made(window, revision, by[key]))
        for key, (window, revision) in zip(keys, counted, strict=True)
    ]


@lru_cache(maxsize=1024)
def _together(revisions: frozenset[int], own: int) -> frozenset[int]:
    return revisions | {own}


def _made(window: Window, revision: DictionaryRevision, revisions: frozenset[int]) -> Published:
    (histogram,) = make_histograms(window, revision, [None])
    plain = (getattr(histogram, name) for name in PLAIN)
    return Published._make((*plain, revision.number, str(histogram.generated_at), revisions))


def _is_noisy(version: Version, locale: str, span: Span) -> bool:
    revision, window = version.current_dictionary(), window_of(version, locale, span.last, span.last)
    # Where days are released together, days by themselves show nothing.
    if revision is None or window is None:
        return True
    (histogram,) = histograms_of([(window, revision)])
    largest = next(iter(histogram.entries), None)
    return largest is None or largest.adjusted_upper - largest.adjusted_lower > 2 * NOISY * largest.estimate
