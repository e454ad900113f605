"""An embedded element: its locales now, and those of the largest shares over days."""

from collections.abc import Sequence

from django.http import QueryDict
from django.utils.translation import gettext as _

from reports.models import UseCase
from reports.results.element import ElementView, element_view
from reports.results.trend import Series, TrendQuery
from reports.web.pages.element import element_chart, element_words
from reports.web.pages.element.element_page import MOST_POINTS, provenance
from reports.web.pages.element.element_table import by_window, place_lines
from reports.web.pages.embed.embedded import Line, Shown, annotations_for, cells_over_days, what_happened, with_interval
from reports.web.pages.figures import MOST_SERIES, Chart
from reports.web.pages.locales import locale_name
from reports.web.pages.trend import trend_chart
from reports.web.pages.trend.trend_captions import caption
from reports.web.pages.trend.trend_words import with_missing


def element(use_case: UseCase, parameters: QueryDict) -> Shown | None:
    """None if there is nothing to see. Raises `QueryError`."""
    view = element_view(use_case, TrendQuery.from_parameters(parameters), most_points=MOST_POINTS)
    if view is None or view.is_empty:
        return None
    has_bars = any(place.share is not None for place in view.newest)
    return Shown(
        heading=_("%(element)s, by locale") % {"element": _named(view)},
        facts=[(_("Version"), str(view.version.number))],
        caption=element_words.caption(),
        columns=[_("Locale"), _("Share"), _("Reports (n)"), _("Threshold (T)"), _("Window")],
        lines=[
            Line(line.locale, "", [with_interval(line.words, line.interval), line.n, line.threshold, line.window])
            for line in place_lines(view)
        ],
        provenance=provenance(view),
        exactly=view.exact().encoded(),
        chart=Chart(element_chart.figure(view.newest), element_words.places_summary(view), use_case.slug)
        if has_bars
        else None,
        below=_over_days(view, parameters),
    )


def _named(view: ElementView) -> str:
    return f"{view.element.display} {view.element.name}".strip()


def _over_days(view: ElementView, parameters: QueryDict) -> Shown | None:
    lines = element_words.drawn(view)
    series = lines or view.series[:MOST_SERIES]
    if not any(each.slots for each in series):
        return None
    annotations = annotations_for(parameters, view.annotations)
    fewer = _("The table has only the locales with the largest shares.")
    return Shown(
        heading=_("%(element)s, by day: %(window)s") % {"element": _named(view), "window": element_words.days_of(view)},
        facts=[],
        caption=caption(view.version, view.step, lines),
        columns=[_("Window"), *(locale_name(each.locale) for each in series)],
        lines=[Line(window, "", cells) for window, cells in by_window(series, [*map(_cells, series)], "")],
        provenance=[],
        exactly="",
        chart=Chart(
            trend_chart.figure(lines, annotations, of_locales=True),
            element_words.days_summary(view, lines),
            view.use_case.slug,
        )
        if lines
        else None,
        notes=[fewer] if len(series) < len(view.newest) else [],
        happened=what_happened(annotations),
    )


def _cells(series: Series) -> Sequence[str]:
    return [with_missing(slot, cell) for slot, cell in zip(series.slots, cells_over_days(series), strict=True)]
