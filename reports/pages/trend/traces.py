"""The traces of a trend's chart: lines with bands, and bounds of what is below a threshold."""

import datetime
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias

from django.utils.translation import gettext as _

from reports.numbers import day_range
from reports.pages.figures import DASHES, SYMBOLS, label
from reports.results.trend.points import Point, Series
from reports.results.trend.windows import Slot

# Plain dictionaries: to have Plotly check thousands of values takes longer than all else about the page.
Trace: TypeAlias = dict[str, Any]
# Of each window the estimate and the two ends of its interval, where there are numbers.
Percents: TypeAlias = list[tuple[float, float, float] | None]
# Of percents, more than anybody can see: a year of six lines is sent with every page.
DIGITS: Final = 6
MOST_MARKED: Final = 120
# As Plotly fills it in where somebody points.
_PERCENT: Final = "%{{{}:.2f}}\u00a0%"


def place(slot: Slot) -> str:
    """A day at its beginning, a longer window at its last day."""
    return slot.last.isoformat()


def beside(slot: Slot, part: float) -> str:
    """A place so many steps away."""
    step = _step(slot)
    at = datetime.datetime.combine(slot.last, datetime.time()) + part * step
    return at.isoformat()


def _step(slot: Slot) -> datetime.timedelta:
    # Windows of words may end a day after each other, however long they are.
    weekly = slot.last - slot.first == datetime.timedelta(days=6) and slot.last.isoweekday() == 7
    return datetime.timedelta(days=7 if weekly else 1)


def percents(series: Series) -> Percents:
    """Estimate and interval of what is above its threshold; of nothing else there are numbers."""
    return [_percent(slot, point) for slot, point in zip(series.slots, series.points, strict=True)]


def line(series: Series, shown: Percents, number: int, name: str, windows: list[str]) -> Trace:
    """`shown` is what `percents` says of the series, here and below: of thousands of windows it takes a while."""
    words = _("95 %% interval, adjusted: %(lower)s to %(upper)s") % {
        "lower": _PERCENT.format("customdata[0]"),
        "upper": _PERCENT.format("customdata[1]"),
    }
    return {
        "type": "scatter",
        "x": [place(slot) for slot in series.slots],
        "y": [value[0] if value is not None else None for value in shown],
        "mode": "lines+markers" if is_marked(series) else "lines",
        "connectgaps": False,
        "name": label(name),
        "legendgroup": f"series-{number}",
        "line": {"width": 2, "dash": DASHES[number - 1]},
        "marker": {"size": 6, "symbol": SYMBOLS[number - 1]},
        "text": windows,
        "customdata": [value[1:] if value is not None else None for value in shown],
        "hovertemplate": _hover(_PERCENT.format("y"), label(words)),
        "meta": {"role": f"series-{number}"},
    }


def is_marked(series: Series) -> bool:
    """Whether each window has its mark. So many would touch each other, and take longest of all to draw."""
    return len(series.slots) <= MOST_MARKED


def alone(series: Series, shown: Percents, number: int) -> Trace:
    """Marks where there is no line for lack of neighbours."""
    beside_each = zip([None, *shown], shown, [*shown[1:], None], strict=False)
    found = [
        (place(slot), value[0])
        for slot, (before, value, after) in zip(series.slots, beside_each, strict=True)
        if value is not None and before is None and after is None
    ]
    return {
        "type": "scatter",
        "x": [x for x, _y in found],
        "y": [y for _x, y in found],
        "mode": "markers",
        "legendgroup": f"series-{number}",
        "showlegend": False,
        # The line says it, though it is not seen there.
        "hoverinfo": "skip",
        "marker": {"size": 6, "symbol": SYMBOLS[number - 1]},
        "meta": {"role": f"series-{number}"},
    }


def _hover(*lines: str) -> str:
    # The name is that of the trace, which is escaped, and what is in it is not filled in.
    return "<br>".join(["<b>%{fullData.name}</b>", "%{text}", *lines, "<extra></extra>"])


def _percent(slot: Slot, point: Point) -> tuple[float, float, float] | None:
    if point.numbers is None or slot.histogram is None:
        return None
    scale = 100 / slot.histogram.n
    return (
        round(point.numbers.estimate * scale, DIGITS),
        round(point.numbers.adjusted_lower * scale, DIGITS),
        round(point.numbers.adjusted_upper * scale, DIGITS),
    )


def band(series: Series, shown: Percents, number: int) -> Trace:
    """One polygon for each run of windows without a gap."""
    x: list[str | None] = []
    y: list[float | None] = []
    for there, group in groupby(zip(series.slots, shown, strict=True), key=lambda each: each[1] is not None):
        if not there:
            continue
        run = [(slot, value) for slot, value in group if value is not None]
        at = [place(slot) for slot, _value in run]
        upper, lower = [value[2] for _slot, value in run], [value[1] for _slot, value in run]
        if len(run) == 1:
            # What stands alone would have no width.
            at, upper, lower = [beside(run[0][0], -0.2), beside(run[0][0], 0.2)], upper * 2, lower * 2
        x += [*at, *reversed(at), None]
        y += [*upper, *reversed(lower), None]
    return {
        "type": "scatter",
        "x": x,
        "y": y,
        "mode": "lines",
        "fill": "toself",
        "legendgroup": f"series-{number}",
        "showlegend": False,
        "hoverinfo": "skip",
        "meta": {"role": f"band-{number}"},
    }


def bounds(series: Series, number: int, of: int, name: str) -> Trace:
    """Open triangles that point down from the most that it can be: somewhere below, nobody knows where.

    Of all elements of a window that is the same, so that they stand beside each other.
    """
    found = [
        (slot, round(100 * point.at_most / slot.histogram.n, DIGITS))
        for slot, point in zip(series.slots, series.points, strict=True)
        if point.at_most is not None and slot.histogram is not None
    ]
    words = _("below T, at most %(share)s") % {"share": _PERCENT.format("y")}
    return {
        "type": "scatter",
        "x": [beside(slot, (number - (of + 1) / 2) * 0.13) for slot, _value in found],
        "y": [value for _slot, value in found],
        "mode": "markers",
        "name": label(name),
        "showlegend": False,
        "legendgroup": f"series-{number}",
        "marker": {"size": 9, "symbol": "triangle-down-open"},
        "text": [day_range(slot.first, slot.last) for slot, _value in found],
        "hovertemplate": _hover(label(words)),
        "meta": {"role": f"series-{number}"},
    }


def thresholds(slots: Sequence[Slot]) -> Trace:
    """T of each window, under which nothing is drawn."""
    shares = [
        round(100 * slot.histogram.threshold / slot.histogram.n, DIGITS)
        if slot.histogram is not None and slot.histogram.threshold is not None
        else None
        for slot in slots
    ]
    return {
        "type": "scatter",
        "x": [place(slot) for slot in slots],
        "y": shares,
        "mode": "lines",
        "name": label(_("threshold T")),
        "line": {"width": 1, "dash": "dot", "shape": "hvh"},
        "hoverinfo": "skip",
        "meta": {"role": "quiet"},
    }
