"""The chart of a trend: lines with bands, and what is not a line: bounds, grey windows, annotations."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext as _

from reports.models import Annotation
from reports.numbers import day_range
from reports.pages.figures import MARGIN, MOST_SERIES, label, shaped
from reports.pages.locales import isolated, locale_name
from reports.pages.trend_traces import alone, band, beside, bounds, is_marked, line, place, thresholds
from reports.results.trend_points import PointState, Series
from reports.results.trend_windows import Slot, SlotState

HEIGHT = 440
LONGEST_NAME = 28
LONGEST_NOTE = 26
# Where dates are so few, each has its mark: else there would be hours between them.
FEW = 8
# Labels of annotations that are near each other stand below each other.
NOTE_LEVELS = 3
GREY = (SlotState.BELOW_MINIMUM, SlotState.WAITING, SlotState.NOT_PUBLISHED)


def figure(series: Sequence[Series], annotations: Sequence[Annotation], *, of_locales: bool = False) -> dict[str, Any]:
    """Up to six series of shares in percent, with the intervals of each window."""
    series = series[:MOST_SERIES]
    slots = series[0].slots if series else ()
    names = [series_name(each, of_locales=of_locales) for each in series]
    traces = [band(each, number) for number, each in enumerate(series, 1)]
    # Each is written once, though all series have it.
    windows = {
        window: day_range(*window) for window in {(slot.first, slot.last) for each in series for slot in each.slots}
    }
    traces += [
        line(each, number, name, [windows[slot.first, slot.last] for slot in each.slots])
        for number, (each, name) in enumerate(zip(series, names, strict=True), 1)
    ]
    traces += [alone(each, number) for number, each in enumerate(series, 1) if not is_marked(each)]
    traces += [
        bounds(each, number, len(series), name)
        for number, (each, name) in enumerate(zip(series, names, strict=True), 1)
        if any(point.state == PointState.BELOW for point in each.points)
    ]
    if not of_locales:
        traces.append(thresholds(slots))
    axis = _axis(series)
    few = {"tickmode": "array", "tickvals": [place(slot) for slot in axis]} if len(axis) < FEW else {}
    return shaped(
        traces,
        {
            "height": HEIGHT,
            "showlegend": True,
            "margin": MARGIN | {"t": 40},
            "hovermode": "closest",
            "xaxis": {"type": "date", "range": _range(axis), "showgrid": False, **few},
            "yaxis": {
                "title": {"text": label(_("Estimated share of reports"))},
                "ticksuffix": "\u00a0%",
                "rangemode": "tozero",
            },
            "shapes": [*_grey(axis), *map(_mark, annotations)],
            "annotations": list(_notes(annotations, axis)),
        },
    )


def _axis(series: Iterable[Series]) -> list[Slot]:
    """The windows in their order. Of locales each may have its own: that of one that shows it, if there is one."""
    axes = {id(each.slots): each.slots for each in series}
    slots = [slot for axis in axes.values() for slot in axis]
    # The last of each day stays.
    slots.sort(key=lambda slot: (slot.last, slot.state == SlotState.SHOWN, slot.state in GREY))
    return list({slot.last: slot for slot in slots}.values())


def series_name(series: Series, *, of_locales: bool) -> str:
    if of_locales:
        return locale_name(series.locale)
    element = series.element
    display = isolated(Truncator(element.display).chars(LONGEST_NAME))
    return f"{display} {Truncator(element.name).chars(LONGEST_NAME)}".strip()


def _range(slots: Sequence[Slot]) -> list[str]:
    return [beside(slots[0], -0.6), beside(slots[-1], 0.6)] if slots else []


def _grey(slots: Iterable[Slot]) -> Iterator[dict[str, Any]]:
    """Windows that have reports and show nothing, those side by side as one."""
    for grey, group in groupby(slots, key=lambda slot: slot.state in GREY):
        run = list(group)
        if grey:
            yield {
                "type": "rect",
                "name": "below",
                "layer": "below",
                "x0": beside(run[0], -0.5),
                "x1": beside(run[-1], 0.5),
                "yref": "paper",
                "y0": 0,
                "y1": 1,
            }


def _mark(annotation: Annotation) -> dict[str, Any]:
    day = annotation.day.isoformat()
    line = {"width": 1.5, "dash": "dot"}
    return {
        "type": "line",
        "name": "annotation",
        "x0": day,
        "x1": day,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": line,
    }


def _notes(annotations: Sequence[Annotation], slots: Sequence[Slot]) -> Iterator[dict[str, Any]]:
    """The texts, written by people and read by Plotly as markup, beside their lines and inside the chart."""
    middle = slots[len(slots) // 2].last if slots else None
    for number, annotation in enumerate(annotations):
        late = middle is not None and annotation.day > middle
        yield {
            "name": "annotation",
            "text": label(isolated(Truncator(annotation.text).chars(LONGEST_NOTE))),
            "x": annotation.day.isoformat(),
            "y": 1,
            "yref": "paper",
            "xanchor": "right" if late else "left",
            "yanchor": "top",
            "yshift": -16 * (number % NOTE_LEVELS),
            "showarrow": False,
            "font": {"size": 12},
        }
