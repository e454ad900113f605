"""The traces of a trend's chart: lines with bands, and bounds of what is below a threshold."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any, Final, TypeAlias

import numpy as np
from django.utils.translation import gettext as _

from reports.formatting import day_ranges
from reports.results.trend import Series, Slot
from reports.web.pages.figures import DASHES, SYMBOLS, label

# Plain dictionaries: to have Plotly check thousands of values takes longer than all else about the page.
Trace: TypeAlias = dict[str, Any]
# For each window the estimate and the two ends of its interval, where there are numbers.
Percents: TypeAlias = list[list[float] | None]
# Digits of percents, more than can be seen: a year of six lines is sent with every page.
DIGITS: Final = 6
MOST_MARKED: Final = 120
# Filled in by Plotly at the pointer.
_PERCENT: Final = "%{{{}:.2f}}\u00a0%"


def place(slot: Slot) -> str:
    """A day at its beginning, a longer window at its last day."""
    return slot.last.isoformat()


def beside(slot: Slot, part: float) -> str:
    """A place so many steps away."""
    return _beside(slot.first, slot.last, part)


# Pages have a thousand of them, most of them the same ones.
@lru_cache(maxsize=8192)
def _beside(first: datetime.date, last: datetime.date, part: float) -> str:
    # Windows of words may end a day after each other, however long they are.
    weekly = last - first == datetime.timedelta(days=6) and last.isoweekday() == 7
    step = datetime.timedelta(days=7 if weekly else 1)
    return (datetime.datetime.combine(last, datetime.time()) + part * step).isoformat()


@dataclass(frozen=True)
class Drawn:
    """A series as it is drawn, computed once for all of its traces: of thousands of windows it takes a while.

    Of each version by itself, so that no line leads from one to another.
    """

    series: Series
    is_newest: bool
    # From 1, as the colours are.
    number: int
    name: str
    # The place of each window, and its T.
    places: Sequence[str]
    thresholds: Sequence[float | None]
    percents: Percents

    @property
    def symbol(self) -> str:
        return SYMBOLS[self.number - 1] + ("" if self.is_newest else "-open")

    @cached_property
    def bounds(self) -> list[tuple[Slot, float]]:
        """The most that it can be, of each window that it is below T of."""
        return [
            (slot, round(100 * point.at_most / slot.histogram.n, DIGITS))
            for slot, point in zip(self.series.slots, self.series.points, strict=True)
            if point.at_most is not None and slot.histogram is not None
        ]


def drawn(series: Sequence[Series], names: Sequence[str]) -> list[Drawn]:
    """Series with their names, those of older versions first."""
    axes: dict[int, tuple[list[str], list[float | None]]] = {}
    found = []
    for number, (whole, name) in enumerate(zip(series, names, strict=True), 1):
        for each in (parts := whole.by_version):
            # Series of a locale have the same windows.
            if id(each.slots) not in axes:
                axes[id(each.slots)] = [place(slot) for slot in each.slots], [_threshold(slot) for slot in each.slots]
            found.append(Drawn(each, each is parts[-1], number, name, *axes[id(each.slots)], _percents(each)))
    return found


def _threshold(slot: Slot) -> float | None:
    histogram = slot.histogram
    if histogram is None or histogram.threshold is None:
        return None
    return round(100 * histogram.threshold / histogram.n, DIGITS)


def _percents(series: Series) -> Percents:
    """Estimate and interval of what is above its threshold; of nothing else there are numbers."""
    points = zip(series.slots, series.points, strict=True)
    above = [
        (
            place,
            (
                100 / slot.histogram.n,
                point.numbers.estimate,
                point.numbers.adjusted_lower,
                point.numbers.adjusted_upper,
            ),
        )
        for place, (slot, point) in enumerate(points)
        if point.numbers is not None and slot.histogram is not None
    ]
    found: Percents = [None] * len(series.points)
    if above:
        scaled = np.array([numbers for _place, numbers in above])
        rounded = np.round(scaled[:, 1:] * scaled[:, :1], DIGITS).tolist()
        for (place, _numbers), percents in zip(above, rounded, strict=True):
            found[place] = percents
    return found


def _trace(drawn: Drawn, mode: str, x: Sequence[str | None], y: Sequence[float | None], **more: Any) -> Trace:
    """A trace of a series, with all that its traces have in common."""
    name = f"series-{drawn.number}"
    meta = {"role": name, "row": drawn.number - 1}
    common = {"type": "scatter", "x": x, "y": y, "mode": mode, "legendgroup": name, "meta": meta}
    return common | more


def line(drawn: Drawn, windows: list[str]) -> Trace:
    """`windows` in words."""
    shown, number = drawn.percents, drawn.number
    words = _("95 %% interval, adjusted: %(lower)s to %(upper)s") % {
        "lower": _PERCENT.format("customdata[0]"),
        "upper": _PERCENT.format("customdata[1]"),
    }
    return _trace(
        drawn,
        "lines+markers" if is_marked(drawn.series) else "lines",
        drawn.places,
        [value[0] if value is not None else None for value in shown],
        connectgaps=False,
        name=label(drawn.name),
        showlegend=drawn.is_newest,
        line={"width": 2, "dash": DASHES[number - 1]},
        marker={"size": 6, "symbol": drawn.symbol},
        text=windows,
        customdata=[value[1:] if value is not None else None for value in shown],
        hovertemplate=_hover(_PERCENT.format("y"), label(words)),
    )


def is_marked(series: Series) -> bool:
    """Tell whether each window has its mark: many would touch each other, and take longest of all to draw."""
    return len(series.slots) <= MOST_MARKED


def alone(drawn: Drawn) -> Trace:
    """Marks where there is no line for lack of neighbours."""
    shown = drawn.percents
    beside_each = zip([None, *shown], shown, [*shown[1:], None], strict=False)
    found = [
        (at, value[0])
        for at, (before, value, after) in zip(drawn.places, beside_each, strict=True)
        if value is not None and before is None and after is None
    ]
    # The line says what they are, though it is not seen there.
    quiet = {"showlegend": False, "hoverinfo": "skip"}
    marker = {"size": 6, "symbol": drawn.symbol}
    return _trace(drawn, "markers", [x for x, _y in found], [y for _x, y in found], marker=marker, **quiet)


def _hover(*lines: str) -> str:
    # The name is that of the trace, which is escaped, and what is in it is not filled in.
    return "<br>".join(["<b>%{fullData.name}</b>", "%{text}", *lines, "<extra></extra>"])


def band(drawn: Drawn) -> Trace:
    """One polygon for each run of windows without a gap."""
    windows = zip(drawn.series.slots, drawn.places, drawn.percents, strict=True)
    x: list[str | None] = []
    y: list[float | None] = []
    for there, group in groupby(windows, key=lambda each: each[2] is not None):
        if not there:
            continue
        run = [(slot, at, value) for slot, at, value in group if value is not None]
        at = [each for _slot, each, _value in run]
        upper, lower = [value[2] for _slot, _at, value in run], [value[1] for _slot, _at, value in run]
        if len(run) == 1:
            # A point that stands alone would have no width.
            at, upper, lower = [beside(run[0][0], -0.2), beside(run[0][0], 0.2)], upper * 2, lower * 2
        x += [*at, *reversed(at), None]
        y += [*upper, *reversed(lower), None]
    role = {"role": f"band-{drawn.number}"}
    return _trace(drawn, "lines", x, y, fill="toself", showlegend=False, hoverinfo="skip", meta=role)


def bounds(drawn: Drawn, of: int) -> Trace:
    """Open triangles that point down from the most that it can be: how far below is unknown.

    Of all elements of a window that is the same, so that they stand beside each other.
    """
    words = _("below T, at most %(share)s") % {"share": _PERCENT.format("y")}
    window, part = day_ranges(), (drawn.number - (of + 1) / 2) * 0.13 if of > 1 else 0.0
    return _trace(
        drawn,
        "markers",
        [beside(slot, part) for slot, _value in drawn.bounds],
        [value for _slot, value in drawn.bounds],
        name=label(drawn.name),
        showlegend=False,
        marker={"size": 9, "symbol": "triangle-down-open"},
        text=[window(slot.first, slot.last) for slot, _value in drawn.bounds],
        hovertemplate=_hover(label(words)),
    )


def thresholds(drawn: Drawn) -> Trace:
    """T of each window of a series, under which nothing is drawn; of older versions without a place in the legend."""
    return {
        "type": "scatter",
        "x": drawn.places,
        "y": drawn.thresholds,
        "mode": "lines",
        "name": label(_("threshold T")),
        "showlegend": drawn.is_newest,
        "legendgroup": f"series-{drawn.number}",
        "line": {"width": 1, "dash": "dot", "shape": "hvh"},
        "hoverinfo": "skip",
        "meta": {"role": "quiet"},
    }
