"""The tables of an element: its locales now, and all of them over days."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from reports.formatting import day_range, day_ranges, whole
from reports.results.element import ElementView, LocaleResult, Sighting
from reports.results.trend import Element, Series
from reports.web.pages.locales import locale_name
from reports.web.pages.trend.trend_table import column, joined, row
from reports.web.pages.trend.trend_words import interval, point_words, share


@dataclass(frozen=True)
class PlaceLine:
    locale: str
    window: str
    words: str
    interval: str
    css: str
    n: str
    threshold: str
    # The trend of the element in this locale.
    trend: str
    sighting: Sighting | None


def place_lines(view: ElementView) -> list[PlaceLine]:
    return [_locale_line(view, place) for place in view.newest]


def _locale_line(view: ElementView, place: LocaleResult) -> PlaceLine:
    slot, point, histogram = place.slot, place.point, place.slot.histogram
    sighting = view.sightings.get(place.locale)
    if histogram is None:
        return PlaceLine(locale_name(place.locale), "", _("nothing published"), "", "quiet", "", "", "", sighting)
    return PlaceLine(
        locale=locale_name(place.locale),
        window=day_range(histogram.first_day, histogram.last_day),
        words=point_words(slot, point),
        interval=interval(slot, point),
        css="" if point.numbers is not None else "quiet",
        n=whole(histogram.n),
        threshold=share(slot, histogram.threshold) if histogram.threshold is not None else "",
        trend=_trend(view, place.locale, view.element),
        sighting=sighting,
    )


def _trend(view: ElementView, locale: str, element: Element) -> str:
    parameters = {"locale": locale, "element": element.text, "version": str(view.version.number)}
    return f"{reverse('trend', args=[view.use_case.slug])}?{urlencode(parameters)}"


def day_rows(view: ElementView) -> SafeString:
    """A row for each window that any of the locales has, a cell for each locale."""
    columns = [column(series, with_notes=True) for series in view.series]
    lines = by_window(view.series, columns, SafeString("<td></td>"))
    return joined(row(window, joined(cells)) for window, cells in lines)


Cell = TypeVar("Cell")


def by_window(
    series: Sequence[Series], columns: Sequence[Sequence[Cell]], nothing: Cell
) -> Iterator[tuple[str, list[Cell]]]:
    """Each window that any of the series has, in words and in their order, and its cells: one of each column."""
    # Lists of words end on other days in each locale.
    found: dict[tuple[datetime.date, datetime.date], dict[int, Cell]] = {}
    for number, (each, cells) in enumerate(zip(series, columns, strict=True)):
        for slot, cell in zip(each.slots, cells, strict=True):
            found.setdefault((slot.first, slot.last), {})[number] = cell
    written = day_ranges()
    for window in sorted(found, key=lambda window: (window[1], window[0])):
        yield written(*window), [found[window].get(number, nothing) for number in range(len(series))]
