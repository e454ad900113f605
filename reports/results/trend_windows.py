"""The published windows along an axis of days, and why there is none where there is none."""

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.db.models import F, Max, QuerySet

from reports.models import Histogram, ReadOut, Version
from reports.models.uploads import utc_today
from reports.results.known import Window
from reports.results.trend_counted import Counted, publish_some

# So long after a week one need not wait for its last days any more, if nothing came.
PATIENCE: Final = datetime.timedelta(days=8)
_DAY: Final = datetime.timedelta(days=1)
_WEEK: Final = datetime.timedelta(days=7)


class SlotState(StrEnum):
    SHOWN = "shown"
    # Reports that are not counted, at least not all of them and by the newest dictionary.
    WAITING = "waiting"
    # Too few to be shown, or so few beside what was published that they would be singled out.
    BELOW_MINIMUM = "below-minimum"
    # It may be published, but nobody has done so yet.
    NOT_PUBLISHED = "not-published"
    NO_DATA = "no-data"


@dataclass(frozen=True)
class Slot:
    """A place on the axis: a day or a week, or a window that was searched for words."""

    first: datetime.date
    last: datetime.date
    state: SlotState
    histogram: Histogram | None = None


def newest_day(version: Version, locales: Collection[str]) -> datetime.date | None:
    """The last day of which something is counted."""
    read = ReadOut.objects.filter(version=version, locale__in=locales).aggregate(day=Max("day"))["day"]
    shown = published(version, locales).aggregate(day=Max("last_day"))["day"]
    return max((day for day in (read, shown) if day is not None), default=None)


def slots_of(
    version: Version, locales: Sequence[str], first: datetime.date, last: datetime.date, step: int, *, publish: bool
) -> dict[str, list[Slot]]:
    """By locale the days or weeks from the first to the last, or what was searched for words and ends there.

    With `publish` some of what may be published is; it takes the use case of the version.
    """
    if version.discovery is not None:
        return _searched(version, locales, first, last, step)
    counted = Counted(version, locales, first, last)
    places = _days(first, last) if step == 1 else _weeks(counted, first, last)
    wanted = {
        locale: [place if step == 1 else counted.within(locale, *place) for place in places] for locale in locales
    }
    found = _histograms(version, wanted)
    if publish:
        open_windows = [
            (locale, *window)
            for locale, windows in wanted.items()
            for window in windows
            if (locale, *window) not in found and counted.may_be_published(locale, *window)
        ]
        refused = publish_some(version, open_windows, found)
    else:
        refused = set()
    return {
        locale: [
            _slot(counted, locale, place, window, found.get((locale, *window)), refused)
            for place, window in zip(places, wanted[locale], strict=True)
        ]
        for locale in locales
    }


def _slot(
    counted: Counted,
    locale: str,
    place: tuple[datetime.date, datetime.date],
    window: tuple[datetime.date, datetime.date],
    histogram: Histogram | None,
    refused: Collection[Window],
) -> Slot:
    if histogram is not None:
        return Slot(*place, SlotState.SHOWN, histogram)
    if counted.is_waiting(locale, *window):
        return Slot(*place, SlotState.WAITING)
    if counted.may_be_published(locale, *window) and (locale, *window) not in refused:
        return Slot(*place, SlotState.NOT_PUBLISHED)
    return Slot(*place, SlotState.BELOW_MINIMUM if counted.has_reports(locale, *window) else SlotState.NO_DATA)


def _days(first: datetime.date, last: datetime.date) -> list[tuple[datetime.date, datetime.date]]:
    return [(first + step * _DAY, first + step * _DAY) for step in range((last - first).days + 1)]


def _weeks(counted: Counted, first: datetime.date, last: datetime.date) -> list[tuple[datetime.date, datetime.date]]:
    """From Monday to Sunday, those that are over.

    Weeks of the calendar, whoever asks when: windows that overlap would be published for every day on which somebody
    looks, and those with small days refused because of each other.
    """
    monday = first - first.weekday() * _DAY
    found = []
    while monday <= last:
        sunday = monday + 6 * _DAY
        if sunday <= counted.newest or sunday + PATIENCE <= utc_today():
            found.append((monday, sunday))
        monday += _WEEK
    return found


def published(version: Version, locales: Collection[str]) -> QuerySet[Histogram]:
    """What may be seen of these locales, in elements."""
    return Histogram.objects.filter(version=version, locale__in=locales, grouping="", replaced=False)


def _light(histograms: QuerySet[Histogram]) -> QuerySet[Histogram]:
    """Without the list of sealings, which nobody reads here."""
    light = histograms.select_related("revision").defer("sealings")
    return light.order_by("locale", "last_day", "first_day")


def _histograms(
    version: Version, wanted: dict[str, list[tuple[datetime.date, datetime.date]]]
) -> dict[Window, Histogram]:
    windows = {window for places in wanted.values() for window in places}
    firsts, lasts = {first for first, _last in windows}, {last for _first, last in windows}
    there = published(version, list(wanted)).filter(first_day__in=firsts, last_day__in=lasts)
    if all(first == last for first, last in windows):
        there = there.filter(first_day=F("last_day"))
    found = {(each.locale, each.first_day, each.last_day): each for each in _light(there)}
    asked_for = {(locale, *place) for locale, places in wanted.items() for place in places}
    return {window: histogram for window, histogram in found.items() if window in asked_for}


def _searched(
    version: Version, locales: Sequence[str], first: datetime.date, last: datetime.date, step: int
) -> dict[str, list[Slot]]:
    """Windows in which words were found, of at most so many days: of several that end on a day the longest.

    A page makes none of its own, and so only these have a place.
    """
    found = published(version, locales).filter(last_day__range=(first, last))
    found = found.filter(first_day__gt=F("last_day") - step * _DAY)
    slots: dict[str, dict[datetime.date, Slot]] = {locale: {} for locale in locales}
    for histogram in _light(found):
        slot = Slot(histogram.first_day, histogram.last_day, SlotState.SHOWN, histogram)
        slots[histogram.locale].setdefault(histogram.last_day, slot)
    return {locale: list(each.values()) for locale, each in slots.items()}


def since_first_reports(slots: dict[str, list[Slot]]) -> dict[str, list[Slot]]:
    """Without the days before any of the locales had reports, if some had: so much as there is."""
    first = min(
        (slot.first for each in slots.values() for slot in each if slot.state != SlotState.NO_DATA), default=None
    )
    if first is None:
        return slots
    return {locale: [slot for slot in each if slot.first >= first] for locale, each in slots.items()}


def newest_windows(version: Version, locales: Collection[str]) -> dict[str, Histogram]:
    """By locale what is published of the newest day, in the longest window that ends with it."""
    newest = published(version, locales).order_by("locale", "-last_day", "first_day").distinct("locale")
    newest = newest.select_related("revision").defer("sealings")
    return {histogram.locale: histogram for histogram in newest}
