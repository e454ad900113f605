"""The published windows along an axis of days, and why there is none where there is none."""

import datetime
from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from django.db.models import F, QuerySet, TextField
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast

from reports.models import Histogram, Version
from reports.results.known import Window
from reports.results.trend.counted import Counted, days_between, publish_some
from reports.results.trend.weeks import is_over, weeks

_DAY: Final = datetime.timedelta(days=1)


class SlotState(StrEnum):
    SHOWN = "shown"
    # Reports that are not counted, at least not all of them and by the newest dictionary.
    WAITING = "waiting"
    # Too few to be shown, or so few beside what was published that they would be singled out.
    BELOW_MINIMUM = "below-minimum"
    # It may be published, but nobody has done so yet.
    NOT_PUBLISHED = "not-published"
    # A week that goes on, or whose last days may still be counted.
    NOT_OVER = "not-over"
    NO_DATA = "no-data"


class Published(NamedTuple):
    """What is read of a histogram here. A page may have thousands, of which each as a model would take its time."""

    pk: int
    locale: str
    first_day: datetime.date
    last_day: datetime.date
    n: int
    threshold: float | None
    prescribed_threshold: int | None
    alpha: float
    f2: float | None
    revision_id: int | None
    # Its number, of one that was counted.
    revision: int | None
    # As the database writes it: few readers want it, and of thousands it takes long to read.
    generated: str

    @property
    def generated_at(self) -> datetime.datetime:
        return datetime.datetime.fromisoformat(self.generated)


class Slot(NamedTuple):
    """A place on the axis: a day or a week, or a window that was searched for words."""

    first: datetime.date
    last: datetime.date
    state: SlotState
    histogram: Published | None = None
    # How many days of a week that is shown have no reports, and how many have some of which none is counted.
    missing: int = 0
    uncounted: int = 0

    @property
    def is_whole(self) -> bool:
        return not (self.missing or self.uncounted)


def slots_of(
    version: Version, locales: Sequence[str], first: datetime.date, last: datetime.date, step: int, *, publish: bool
) -> dict[str, list[Slot]]:
    """By locale the days or weeks from the first to the last, or what was searched for words and ends there.

    With `publish` some of what may be published is; it takes the use case of the version.
    """
    if version.discovery is not None:
        return _searched(version, locales, first, last, step)
    wanted: dict[str, list[tuple[datetime.date, datetime.date]]]
    if step == 1:
        places = [(day, day) for day in days_between(first, last)]
        wanted = dict.fromkeys(locales, places)
        found = _histograms(version, wanted)
        # Of a day that is published nothing else matters.
        missing = {day for locale in locales for day, _same in places if (locale, day, day) not in found}
        counted = Counted(version, locales, missing)
    else:
        # To whole weeks.
        counted = Counted(version, locales, days_between(first - 6 * _DAY, last + 6 * _DAY))
        places = weeks(counted, locales, first, last)
        wanted = {locale: [counted.within(locale, *place) for place in places] for locale in locales}
        found = _histograms(version, wanted)
    refused: set[Window] = set()
    if publish:
        over = [is_over(counted, *place) for place in places]
        open_windows = [
            (locale, *window)
            for locale, windows in wanted.items()
            for place, window, may_be in zip(places, windows, over, strict=True)
            if may_be and (locale, *window) not in found and counted.may_be_published(locale, *place)
        ]
        made, refused = publish_some(version, open_windows)
        if made:
            found = _histograms(version, wanted)
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
    histogram: Published | None,
    refused: Collection[Window],
) -> Slot:
    _first, last = place
    # What is published of a week is shown by all pages, whatever may still come; but of this week it is no week yet.
    shown = histogram is not None and last < counted.today
    if not shown and not is_over(counted, *place):
        going_on = counted.has_reports(locale, *place) or counted.is_waiting(locale, *place)
        return Slot(*place, SlotState.NOT_OVER if going_on else SlotState.NO_DATA)
    if histogram is not None:
        return Slot(*place, SlotState.SHOWN, histogram, *counted.lacking(locale, *place))
    if counted.is_waiting(locale, *place):
        return Slot(*place, SlotState.WAITING)
    if counted.may_be_published(locale, *place) and (locale, *window) not in refused:
        return Slot(*place, SlotState.NOT_PUBLISHED)
    return Slot(*place, SlotState.BELOW_MINIMUM if counted.has_reports(locale, *place) else SlotState.NO_DATA)


def published(version: Version, locales: Collection[str]) -> QuerySet[Histogram]:
    """What may be seen of these locales, in elements."""
    return Histogram.objects.filter(version=version, locale__in=locales, grouping="", replaced=False)


def _read(histograms: QuerySet[Histogram]) -> list[Published]:
    # In the order of the fields.
    plain = (
        "pk",
        "locale",
        "first_day",
        "last_day",
        "n",
        "threshold",
        "prescribed_threshold",
        "alpha",
        "f2",
        "revision_id",
        "revision__number",
    )
    return list(map(Published._make, histograms.values_list(*plain, Cast("generated_at", TextField()))))


def _histograms(
    version: Version, wanted: dict[str, list[tuple[datetime.date, datetime.date]]]
) -> dict[Window, Published]:
    windows = {window for places in wanted.values() for window in places}
    if not windows:
        return {}
    firsts, lasts = [first for first, _last in windows], [last for _first, last in windows]
    there = published(version, list(wanted)).filter(last_day__range=(min(lasts), max(lasts)))
    if all(first == last for first, last in windows):
        there = there.filter(first_day=F("last_day"))
    else:
        there = there.filter(first_day__in=set(firsts))
    asked_for = {locale: set(places) for locale, places in wanted.items()}
    return {
        (each.locale, each.first_day, each.last_day): each
        for each in _read(there.order_by())
        if (each.first_day, each.last_day) in asked_for[each.locale]
    }


def _searched(
    version: Version, locales: Sequence[str], first: datetime.date, last: datetime.date, step: int
) -> dict[str, list[Slot]]:
    """Windows in which words were found, of at most so many days: of several that end on a day the longest.

    A page makes none of its own, and so only these have a place.
    """
    found = published(version, locales).filter(last_day__range=(first, last))
    found = found.filter(first_day__gt=F("last_day") - step * _DAY)
    slots: dict[str, dict[datetime.date, Slot]] = {locale: {} for locale in locales}
    for histogram in _read(found.order_by("locale", "last_day", "first_day")):
        slot = Slot(histogram.first_day, histogram.last_day, SlotState.SHOWN, histogram)
        slots[histogram.locale].setdefault(histogram.last_day, slot)
    return {locale: list(each.values()) for locale, each in slots.items()}


def newest_windows(version: Version, locales: Collection[str]) -> dict[str, Published]:
    """By locale what is published of the newest day, in the longest window that ends with it."""
    # Each looked up in an index: sorting the windows of years takes longer than all else about a page.
    newest = RawSQL(
        """
        SELECT "newest"."id" FROM unnest(%s::text[]) AS "asked"("locale") CROSS JOIN LATERAL (
            SELECT "id" FROM "reports_histogram"
            WHERE "version_id" = %s AND "locale" = "asked"."locale" AND "grouping" = '' AND NOT "replaced"
            ORDER BY "last_day" DESC, "first_day" LIMIT 1
        ) AS "newest"
        """,
        [list(locales), version.pk],
    )
    return {each.locale: each for each in _read(published(version, locales).filter(pk__in=newest).order_by())}
