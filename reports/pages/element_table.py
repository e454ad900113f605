"""The tables of an element: its locales now, and all of them over days."""

import datetime
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from reports.numbers import day_range, whole
from reports.pages.locales import locale_name
from reports.pages.trend_table import column, joined, row
from reports.pages.trend_words import interval, point_words, share
from reports.results.element import ElementView, Place, Sighting
from reports.results.trend_elements import Element


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
    return [_place_line(view, place) for place in view.places]


def _place_line(view: ElementView, place: Place) -> PlaceLine:
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
    # Lists of words end on other days in each locale.
    found: dict[tuple[datetime.date, datetime.date], dict[int, SafeString]] = {}
    for number, series in enumerate(view.series):
        for slot, cell in zip(series.slots, column(series), strict=True):
            found.setdefault((slot.first, slot.last), {})[number] = cell
    nothing = SafeString("<td></td>")
    return joined(
        row(day_range(*window), joined(found[window].get(number, nothing) for number in range(len(view.series))))
        for window in sorted(found, key=lambda window: (window[1], window[0]))
    )
