"""The tables of an element: its locales now, and all of them over days."""

import datetime
from collections.abc import Iterator, Sequence
from typing import TypeVar
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from reports.formatting import day_range, day_ranges, whole
from reports.results.element import ElementView, LocaleResult
from reports.results.trend import Series
from reports.web.pages.locales import locale_name
from reports.web.pages.trend.trend_table import column, joined, row
from reports.web.pages.trend.trend_words import interval, point_words, share


class PlaceLine:
    """The element in the newest window of a locale, in words."""

    def __init__(self, view: ElementView, place: LocaleResult) -> None:
        slot, point, histogram = place.slot, place.point, place.slot.histogram
        self.locale = locale_name(place.locale)
        self.sighting = view.sightings.get(place.locale)
        self.interval = interval(slot, point)
        self.css = "" if point.numbers is not None else "quiet"
        if histogram is None:
            self.window = self.n = self.threshold = self.trend = ""
            self.words = _("nothing published")
            return
        self.window = day_range(histogram.first_day, histogram.last_day)
        self.words = point_words(slot, point)
        self.n = whole(histogram.n)
        self.threshold = share(slot, histogram.threshold) if histogram.threshold is not None else ""
        # The trend of the element in this locale.
        query = {"locale": place.locale, "element": view.element.text, "version": view.version.number}
        self.trend = f"{reverse('trend', args=[view.use_case.slug])}?{urlencode(query)}"


def place_lines(view: ElementView) -> list[PlaceLine]:
    return [PlaceLine(view, place) for place in view.newest]


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
