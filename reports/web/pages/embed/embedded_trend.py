"""An embedded trend."""

from collections.abc import Callable, Sequence
from itertools import dropwhile

from django.http import QueryDict
from django.utils.translation import gettext as _

from reports.formatting import day_range, small_percents, whole
from reports.models import UseCase
from reports.results.trend import Series, Slot, TrendQuery, TrendView, trend_view
from reports.web.pages.embed.embedded import Line, Shown, annotations_for, cells_over_days, what_happened
from reports.web.pages.figures import Chart
from reports.web.pages.locales import isolated, locale_name
from reports.web.pages.trend import trend_chart
from reports.web.pages.trend.trend_captions import caption
from reports.web.pages.trend.trend_choice import why_these
from reports.web.pages.trend.trend_page import provenance, summary
from reports.web.pages.trend.trend_words import slot_words, windows_words


def trend(use_case: UseCase, parameters: QueryDict) -> Shown | None:
    """None if there is nothing to see. Raises `QueryError`."""
    view = trend_view(use_case, TrendQuery.from_parameters(parameters), weeks_if_noisy=True)
    if view.version is None or view.first is None or view.last is None or view.is_empty or not view.series:
        return None
    window = day_range(view.first, view.last)
    annotations = annotations_for(parameters, view.annotations)
    return Shown(
        heading=_("%(place)s, %(window)s") % {"place": locale_name(view.locale), "window": window},
        facts=[],
        caption=caption(view.version, view.step, view.series),
        columns=[_("Window"), *map(_named, view.series), _("Reports (n)"), _("Threshold (T)")],
        lines=_lines(view),
        provenance=provenance(view),
        exactly=view.exact().encoded(),
        chart=Chart(trend_chart.figure(view.series, annotations), summary(view, window), use_case.slug),
        notes=[why_these(view)] if why_these(view) else [],
        happened=what_happened(annotations),
    )


def _named(series: Series) -> str:
    return f"{isolated(series.element.display)} {series.element.name}".strip()


def _lines(view: TrendView) -> list[Line]:
    """From the first window on that has something to show."""
    columns = [cells_over_days(series) for series in view.series]
    lines = zip(view.slots, windows_words(view.slots), zip(*columns, strict=True), strict=True)
    percent = small_percents()
    return [
        Line(window, "", _cells(slot, cells, percent))
        for slot, window, cells in dropwhile(lambda line: line[0].histogram is None, lines)
    ]


def _cells(slot: Slot, cells: Sequence[str], percent: Callable[[float], str]) -> list[str]:
    histogram = slot.histogram
    if histogram is None:
        return [slot_words(slot), *[""] * (len(cells) + 1)]
    threshold = "" if histogram.threshold is None else percent(histogram.threshold / histogram.n)
    return [*cells, whole(histogram.n), threshold]
