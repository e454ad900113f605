"""An element on its page and where it is embedded: its locales now, and those of the largest shares over days."""

import datetime
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import TypeVar
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range, day_ranges, percent_with_error, small_percent, whole
from reports.results.element import ElementView, LocaleResult, Sighting
from reports.results.trend import Series
from reports.web.pages import annotation_marks
from reports.web.pages import provenance_facts as origin
from reports.web.pages.addresses import element_parameters, exact_address
from reports.web.pages.annotations import Line, annotation_lines
from reports.web.pages.choices import Choice
from reports.web.pages.element import element_chart
from reports.web.pages.exports import downloads
from reports.web.pages.figures import MOST_SERIES, Chart, Result
from reports.web.pages.kinds import PageKind, page_kind
from reports.web.pages.locales import isolated, locale_name
from reports.web.pages.trend import trend_chart
from reports.web.pages.trend.trend_table import column, row
from reports.web.pages.trend.trend_words import interval, point_words, share
from reports.web.pages.version_words import SeveralVersions, several_versions
from reports.web.pages.windows import WindowControl


@dataclass(frozen=True)
class LocaleLine:
    """The element in the newest window of a locale, in words."""

    locale: str
    sighting: Sighting | None
    words: str
    interval: str = ""
    window: str = ""
    n: str = ""
    threshold: str = ""
    css: str = "quiet"
    # The trend of the element in this locale; empty where nothing is published, or where it is embedded.
    trend: str = ""
    # That it is of another version than the others; empty if it is not.
    version: str = ""


@dataclass(frozen=True, kw_only=True)
class DaysResult(Result):
    """Locales over days."""

    title: str
    window: str
    locales: list[str]
    # If several counted these windows.
    versions: SeveralVersions | None
    rows: SafeString
    annotations: list[Line]
    # How many locales the chart has; and whether the table has fewer than there are.
    drawn: int
    fewer_locales: bool
    # Window to choose on the page.
    control: WindowControl | None = None
    # Hidden fields that the form sends along.
    kept: Iterable[tuple[str, str]] = ()
    steps: Sequence[Choice] = ()


@dataclass(frozen=True, kw_only=True)
class ElementResult(Result):
    """Locales now, and over days if anything is counted."""

    view: ElementView
    kind: PageKind
    title: str
    name: str
    lines: list[LocaleLine]
    days: DaysResult | None


def element_result(
    view: ElementView,
    request: HttpRequest | None,
    control: WindowControl | None = None,
    steps: Sequence[Choice] = (),
) -> ElementResult:
    """Shape a view; embedded pages have no request, lead nowhere and say in their titles what they are about."""
    name, places, slug, exactly = called(view), list(view.newest), view.use_case.slug, view.exact().encoded()
    lines = [_line(view, place, linked=request is not None) for place in places]
    # xgettext:no-python-format
    caption = _("Estimated share of reports, not of people. 95 % intervals, adjusted as in each window's histogram.")
    of_locales = origin.of_slots(view.version, (place.slot for place in places))
    chart = None
    if not view.is_below_everywhere and len(places) > 1:
        links = [line.trend for line, place in zip(lines, places, strict=True) if place.share is not None]
        chart = Chart(element_chart.figure(view.newest), _summary(view), f"{slug}-element-locales")
        title, provenance = _title(view, _("by locale")), _of_one(view, of_locales)
        chart = chart.pictured(request, exactly, title=title, caption=caption, provenance=provenance, links=links)
    of_days = _of_series(view, view.series)
    embedded_title = _("%(element)s, by locale") % {"element": _named(view)}
    return ElementResult(
        view=view,
        kind=page_kind(view.version),
        title=_("By locale") if request is not None else embedded_title,
        finding=_finding(view),
        name=name,
        lines=lines,
        days=_days(view, request, of_days, control, steps),
        chart=chart,
        caption=caption,
        provenance=[
            *origin.of_version(view.version),
            *origin.of_intervals(),
            *origin.beside(_("By locale"), of_locales),
            *origin.beside(_("By day"), of_days),
        ],
    )


def _finding(view: ElementView) -> str:
    """Say in which locale its share is largest: places are in this order."""
    if view.is_empty:
        return _("Nothing is published yet.")
    if view.is_below_everywhere:
        return _below_everywhere(view)
    ends = []
    for place in view.newest:
        numbers, histogram = place.point.numbers, place.slot.histogram
        if numbers is not None and histogram is not None:
            n = histogram.n
            ends.append((place.locale, numbers.estimate / n, numbers.adjusted_lower / n, numbers.adjusted_upper / n))
    locale, share_of_all, lower, upper = ends[0]
    said = percent_with_error(share_of_all, (upper - lower) / 2)
    words = {"element": called(view), "share": said, "place": locale_name(locale)}
    if len(view.newest) == 1:
        return _("%(element)s: %(share)s of all reports") % words
    if len(ends) > 1 and max(other[3] for other in ends[1:]) > lower:
        return _("%(element)s: %(share)s in %(place)s; which locale has the largest share is open") % words
    return _("%(element)s: %(share)s in %(place)s, more than in any other locale") % words


def _below_everywhere(view: ElementView) -> str:
    """Say how much it can be at most, where that is known."""
    bounds = [
        place.point.at_most / place.slot.histogram.n
        for place in view.newest
        if place.point.at_most is not None and place.slot.histogram is not None
    ]
    if not bounds:
        return str(page_kind(view.version).below_everywhere)
    words = _("%(element)s is too rare to be told from noise: %(share)s of reports at most")
    return words % {"element": called(view), "share": small_percent(max(bounds))}


def _days(
    view: ElementView,
    request: HttpRequest | None,
    of_days: origin.Facts,
    control: WindowControl | None,
    steps: Sequence[Choice],
) -> DaysResult | None:
    if view.first is None or view.last is None or view.is_empty:
        return None
    # The table has all of them.
    drawn = [each for each in view.series if any(point.numbers is not None for point in each.points)][:MOST_SERIES]
    window, exactly, chart = day_range(view.first, view.last), view.exact().encoded(), None
    caption = " ".join(page_kind(view.version).trend_caption(view.version, view.step, drawn))
    if drawn:
        summary = _("Line chart of the estimated share of %(element)s in %(places)s, %(window)s.") % {
            "element": called(view),
            "places": ", ".join(locale_name(each.locale) for each in drawn),
            "window": window,
        }
        faceted = len(drawn) >= trend_chart.FACETS_FROM
        figure = trend_chart.figure(drawn, view.annotations, of_locales=True, faceted=faceted)
        chart = Chart(figure, summary, f"{view.use_case.slug}-element-days")
        chart = chart.pictured(
            request,
            exactly,
            title=_title(view, window),
            caption=caption,
            provenance=_of_one(view, of_days if len(drawn) == len(view.series) else _of_series(view, drawn)),
            notes=annotation_marks.notes(view.annotations),
        )
    locale, slots = view.series[0].locale, [slot for each in view.series for slot in each.slots]
    versions = several_versions(view.version, locale, slots, linked=request is not None)
    title = _("%(element)s, by day: %(window)s") % {"element": _named(view), "window": window}
    columns = [column(series, with_notes=True) for series in view.series]
    windows_and_cells = by_window(view.series, columns, "<td></td>")
    return DaysResult(
        title=str(page_kind(view.version).days_title) if request is not None else title,
        window=window,
        locales=[locale_name(each.locale) for each in view.series],
        versions=versions,
        rows=SafeString(
            "".join(
                row(window, "".join(cells), version=_version(number) if versions and number else "")
                for window, number, cells in windows_and_cells
            )
        ),
        annotations=annotation_lines(view.annotations, view.use_case),
        drawn=len(drawn),
        fewer_locales=len(view.series) < len(view.newest),
        control=control,
        kept=element_parameters(view.element.text, view.query.version).items(),
        steps=steps,
        chart=chart,
        caption=caption,
        provenance=[],
        downloads=downloads("element", view.use_case.slug, query=exactly) if request is not None else (),
        exactly=exact_address(request, exactly) if request is not None else "",
    )


def _version(number: int) -> str:
    words = _("version %(number)s") % {"number": number}
    return f'<span class="window">{escape(words)}</span>'


def _of_series(view: ElementView, series: Sequence[Series]) -> origin.Facts:
    return origin.of_slots(view.version, (slot for each in series for slot in each.slots))


def _of_one(view: ElementView, of_windows: origin.Facts) -> origin.Facts:
    return [*origin.of_version(view.version), *of_windows, *origin.of_intervals()]


def _title(view: ElementView, what: str) -> str:
    words = _("%(title)s: %(element)s, %(what)s")
    return words % {"title": view.use_case.title, "element": called(view), "what": what}


def called(view: ElementView) -> str:
    return view.element.name or isolated(view.element.display)


def _named(view: ElementView) -> str:
    return f"{view.element.display} {view.element.name}".strip()


def _summary(view: ElementView) -> str:
    """One sentence for those who do not see the bars; there are some."""
    shown = [place for place in view.newest if place.share is not None]
    words = ngettext(
        "Bar chart of the estimated share of %(element)s with 95 %% intervals in %(count)s locale: %(place)s;"
        " the table has the same numbers.",
        "Bar chart of the estimated share of %(element)s with 95 %% intervals in %(count)s locales, led by %(place)s;"
        " the table has the same numbers.",
        len(shown),
    )
    return words % {"element": called(view), "count": len(shown), "place": locale_name(shown[0].locale)}


def _line(view: ElementView, place: LocaleResult, *, linked: bool) -> LocaleLine:
    slot, point, histogram = place.slot, place.point, place.slot.histogram
    locale, sighting = locale_name(place.locale), view.sightings.get(place.locale)
    if histogram is None:
        return LocaleLine(locale, sighting, _("nothing published"))
    query = {"locale": place.locale, "element": view.element.text, "version": view.version.number}
    other = "" if slot.version == view.version else _("version %(number)s") % {"number": slot.version.number}
    return LocaleLine(
        locale,
        sighting,
        point_words(slot, point),
        interval=interval(slot, point),
        window=day_range(histogram.first_day, histogram.last_day),
        n=whole(histogram.n),
        threshold=share(slot, histogram.threshold) if histogram.threshold is not None else "",
        css="" if point.numbers is not None else "quiet",
        trend=f"{reverse('trend', args=[view.use_case.slug])}?{urlencode(query)}" if linked else "",
        version=other,
    )


Cell = TypeVar("Cell")


def by_window(
    series: Sequence[Series], columns: Sequence[Sequence[Cell]], nothing: Cell
) -> Iterator[tuple[str, int, list[Cell]]]:
    """Each window that any of the series has, in words and in their order, for each version that shows some of it.

    With the number of the version, or 0 where nothing is shown, and its cells: one of each column.
    """
    # Lists of words end on other days in each locale.
    found: dict[tuple[datetime.date, datetime.date, int], dict[int, Cell]] = {}
    for at, (each, cells) in enumerate(zip(series, columns, strict=True)):
        for slot, cell in zip(each.slots, cells, strict=True):
            version = slot.version.number if slot.histogram is not None else 0
            found.setdefault((slot.last, slot.first, version), {})[at] = cell
    written = day_ranges()
    for (last, first), group in groupby(sorted(found), key=itemgetter(0, 1)):
        rest = found.get((last, first, 0), {})
        for version in [number for *_window, number in group if number] or [0]:
            own = found[last, first, version]
            yield written(first, last), version, [own.get(at, rest.get(at, nothing)) for at in range(len(series))]
