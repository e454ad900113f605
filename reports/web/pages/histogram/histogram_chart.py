"""The chart of a histogram: a Plotly figure shaped here, drawn and coloured by `chart.js`."""

import math
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import percent, rounded, whole
from reports.models import Histogram
from reports.results import HistogramQuery, HistogramRow
from reports.web.pages.figures import MARGIN, intervals, label, named, rows_axis, shaped, short
from reports.web.pages.kinds import PageKind
from reports.web.pages.locales import isolated

MOST_BARS = 200
# The rows of the table beside are as high, and its head is as high as what stands above the bars.
ROW_HEIGHT = 32
_MARGIN = MARGIN | {"t": ROW_HEIGHT}
MOST_TICKS = 6


def figure(histogram: Histogram, rows: Sequence[HistogramRow], query: HistogramQuery, rest: str = "") -> dict[str, Any]:
    """The rows, at most 200 of them, from top to bottom: bars with adjusted intervals, or points on a logarithmic axis.

    Consistent values are drawn without intervals, because they have none. What the rows leave is said below them: a bar
    of it would be longer than all others.
    """
    rows = rows[:MOST_BARS]
    places = len(rows) + bool(rest)
    scale = 1 if query.unit == "count" else 100 / histogram.n
    floor = _floor_of(rows) * scale if query.scale == "log" else None
    layout = {
        "height": ROW_HEIGHT * places + _MARGIN["t"] + _MARGIN["b"],
        "margin": _MARGIN,
        "bargap": 0.34,
        "xaxis": _values_axis(rows, query, scale, floor),
        "yaxis": rows_axis([short(row.display) for row in rows]) | {"range": [places - 0.5, -0.5]},
        "shapes": _thresholds(histogram, rows, scale, len(rows) / places),
        "annotations": [
            _threshold_label(histogram, rows[0].threshold * scale, log=floor is not None),
            *([_said_of_rest(rest, len(rows))] if rest else []),
        ],
        # For wide screens, where a name fits beside the element.
        "meta": {
            "named": [label(named(row.display, row.name)) for row in rows],
            "pictures": histogram.version.normalization == "emoji" and histogram.grouping != "category",
        },
    }
    return shaped(_values(histogram, rows, query, scale, floor), layout)


def _values(
    histogram: Histogram, rows: Sequence[HistogramRow], query: HistogramQuery, scale: float, floor: float | None
) -> dict[str, Any]:
    common: dict[str, Any] = {
        "x": [row.value * scale for row in rows],
        "y": list(range(len(rows))),
        "hovertext": [_hover(histogram, row) for row in rows],
        "hoverinfo": "text",
        "meta": {"role": "bar"},
    }
    if not query.values:
        common["error_x"] = _intervals(rows, scale, floor)
    if floor is None:
        return common | {"type": "bar", "orientation": "h"}
    # A bar is as long as what it shows is far from zero, and a logarithmic axis has no zero.
    return common | {"type": "scatter", "mode": "markers", "marker": {"size": 9}, "meta": {"role": "accent"}}


def _intervals(rows: Sequence[HistogramRow], scale: float, floor: float | None) -> dict[str, Any]:
    lowest = [row.entry.adjusted_lower * scale for row in rows]
    if floor is not None:
        # An end at or below zero lies nowhere on the axis: the line has to leave the chart, and end outside of it.
        lowest = [lower if lower > floor else floor / 10 for lower in lowest]
    estimates = [row.entry.estimate * scale for row in rows]
    return intervals(estimates, lowest, [row.entry.adjusted_upper * scale for row in rows])


def _threshold_label(histogram: Histogram, x: float, *, log: bool) -> dict[str, Any]:
    words = _("threshold T") if histogram.threshold is not None else _("T of each group")
    return {
        "name": "threshold",
        "text": label(words),
        # For annotations, and for nothing else, Plotly wants the logarithm.
        "x": math.log10(x) if log else x,
        "y": 1,
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12},
    }


def _said_of_rest(words: str, place: int) -> dict[str, Any]:
    return {
        "name": "rest",
        "text": label(words),
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": place,
        "yref": "y",
        "showarrow": False,
        "font": {"size": 12},
    }


def _thresholds(
    histogram: Histogram, rows: Sequence[HistogramRow], scale: float, height: float
) -> list[dict[str, Any]]:
    """One line for all, or a mark across the bar of each group, which has its own."""
    if histogram.threshold is not None:
        x = histogram.threshold * scale
        line = {"dash": "dash", "width": 1.5}
        return [_line(x, 1 - height, 1, line) | {"yref": "paper"}]
    line = {"dash": "solid", "width": 2}
    return [_line(row.threshold * scale, place - 0.42, place + 0.42, line) for place, row in enumerate(rows)]


def _line(x: float, start: float, stop: float, line: dict[str, Any]) -> dict[str, Any]:
    return {"name": "threshold", "type": "line", "x0": x, "x1": x, "yref": "y", "y0": start, "y1": stop, "line": line}


# --- Axis and hover ---


def _floor_of(rows: Sequence[HistogramRow]) -> float:
    """Where a logarithmic axis begins, in reports: below all estimates and thresholds, and most lower ends."""
    needed = min(min(row.threshold, row.entry.estimate) for row in rows)
    ends = [row.entry.adjusted_lower for row in rows if row.entry.adjusted_lower > needed / 10]
    return 0.8 * min(needed, *ends)


def _values_axis(
    rows: Sequence[HistogramRow], query: HistogramQuery, scale: float, floor: float | None
) -> dict[str, Any]:
    titles = {
        ("", ""): _("Estimated share of reports"),
        ("", "count"): _("Estimated number of reports"),
        ("consistent", ""): _("Consistent share of reports"),
        ("consistent", "count"): _("Consistent number of reports"),
    }
    axis: dict[str, Any] = {
        "title": {"text": label(titles[query.values, query.unit])},
        "ticksuffix": "" if query.unit == "count" else "\u00a0%",
        # Not 10k, nor 1e-5.
        "exponentformat": "none",
        "separatethousands": True,
    }
    if floor is None:
        return axis | {"rangemode": "tozero"}
    highest = max(max(row.entry.adjusted_upper, row.value, row.threshold) for row in rows) * scale * 1.1
    ticks = _ticks(floor, highest)
    return axis | {
        "type": "log",
        "range": [math.log10(floor), math.log10(highest)],
        "tickvals": ticks,
        "ticktext": [label(_tick(tick, query)) for tick in ticks],
        "ticksuffix": "",
    }


def _ticks(lowest: float, highest: float) -> list[float]:
    """Round numbers for a logarithmic axis; as many as have room beside each other."""
    powers = range(math.floor(math.log10(lowest)), math.ceil(math.log10(highest)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10.0**power for power in powers for step in steps if lowest <= step * 10.0**power <= highest]
        if len(ticks) <= MOST_TICKS:
            break
    return ticks


def _tick(value: float, query: HistogramQuery) -> str:
    digits = max(0, -math.floor(math.log10(value)))
    return rounded(value, digits) if query.unit == "count" else percent(value / 100, digits)


def _hover(histogram: Histogram, row: HistogramRow) -> str:
    entry = row.entry
    title = f"{isolated(row.display)} {row.name}".strip()
    lines = [f"<b>{label(title)}</b>"]
    if entry.display.isascii() is not entry.element.isascii():  # a domain name, as people read it and as it is counted
        lines.append(label(entry.element))
    if entry.category and entry.category != entry.display:
        lines.append(label(_("Category: %(category)s") % {"category": entry.category}))
    if row.value != entry.estimate:
        lines.append(
            label(
                _("consistent: about %(value)s reports, %(share)s of all")
                % {"value": whole(row.value), "share": percent(row.share)}
            )
        )
    lines += [
        label(
            _("about %(estimate)s reports, %(share)s of all")
            % {"estimate": whole(entry.estimate), "share": percent(entry.estimate / histogram.n)}
        ),
        label(
            _("95 %% interval, adjusted: %(lower)s to %(upper)s")
            % {"lower": whole(entry.adjusted_lower), "upper": whole(entry.adjusted_upper)}
        ),
    ]
    if entry.is_new:
        lines.append(label(_("new since the last run")))
    if histogram.grouping:
        lines.append(
            label(
                ngettext(
                    "one element; its threshold T is %(threshold)s",
                    "sum of %(members)s elements; its threshold T is %(threshold)s",
                    entry.members,
                )
                % {"members": whole(entry.members), "threshold": whole(row.threshold)}
            )
        )
    return "<br>".join(lines)


def summary(rows: Sequence[HistogramRow], place: str, query: HistogramQuery, kind: PageKind) -> str:
    """One sentence for those who do not see the chart."""
    first = rows[0]
    sentences = {
        ("", ""): _(
            "Chart of estimated shares in %(place)s with 95 %% intervals: %(count)s %(what)s, led by %(element)s with"
            " %(value)s; the table has the same numbers."
        ),
        ("", "count"): _(
            "Chart of estimated numbers of reports in %(place)s with 95 %% intervals: %(count)s %(what)s, led by"
            " %(element)s with %(value)s; the table has the same numbers."
        ),
        ("consistent", ""): _(
            "Chart of consistent shares in %(place)s, which have no intervals: %(count)s %(what)s, led by %(element)s"
            " with %(value)s; the table has the same numbers."
        ),
        ("consistent", "count"): _(
            "Chart of consistent numbers of reports in %(place)s, which have no intervals: %(count)s %(what)s, led by"
            " %(element)s with %(value)s; the table has the same numbers."
        ),
    }
    return sentences[query.values, query.unit] % {
        "what": _("groups") if query.group else kind.elements,
        "place": place,
        "count": min(len(rows), MOST_BARS),
        "element": first.name or isolated(first.display),
        "value": whole(first.value) if query.unit == "count" else percent(first.share),
    }
