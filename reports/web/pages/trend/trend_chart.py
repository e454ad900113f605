"""The chart of a trend: lines with bands, and what is not a line: bounds, grey windows, what happened."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from django.utils.text import Truncator

from reports.models import Annotation
from reports.results.trend import PointState, Series, Slot, SlotState
from reports.web.pages import annotation_marks
from reports.web.pages.figures import MARGIN, MOST_SERIES, shaped, share_axis
from reports.web.pages.locales import isolated, locale_name
from reports.web.pages.trend.traces import alone, band, beside, bounds, drawn, is_marked, line, place, thresholds
from reports.web.pages.trend.trend_words import windows_words

HEIGHT = 440
LONGEST_NAME = 28
# Where dates are so few, each has its mark: else there would be hours between them.
FEW = 8


def figure(series: Sequence[Series], annotations: Sequence[Annotation], *, of_locales: bool = False) -> dict[str, Any]:
    """Up to six series of shares in percent, with the intervals of each window."""
    series = series[:MOST_SERIES]
    slots = series[0].slots if series else ()
    lines = drawn(series, [series_name(each, of_locales=of_locales) for each in series])
    # Each is written once, though all series have it.
    known = {_said(slot): slot for each in series for slot in each.slots}
    windows = dict(zip(known, windows_words(known.values()), strict=True))
    traces = [
        *map(band, lines),
        *(line(each, [windows[_said(slot)] for slot in each.series.slots]) for each in lines),
        *(alone(each) for each in lines if not is_marked(each.series)),
        *(
            bounds(each, len(lines))
            for each in lines
            if any(point.state == PointState.BELOW for point in each.series.points)
        ),
    ]
    if not of_locales:
        traces.append(thresholds(slots))
    along = axis(series)
    few = {"tickmode": "array", "tickvals": [place(slot) for slot in along]} if len(along) < FEW else {}
    return shaped(
        traces,
        {
            "height": HEIGHT,
            "showlegend": True,
            "margin": MARGIN | {"t": 40},
            "hovermode": "closest",
            "xaxis": {"type": "date", "range": _range(along), "showgrid": False, **few},
            "yaxis": share_axis(),
            "shapes": [*_grey(along), *annotation_marks.lines(annotations)],
            "annotations": list(annotation_marks.numbers(annotations, along)),
        },
    )


def axis(series: Iterable[Series]) -> list[Slot]:
    """The windows in their order. Of locales each may have its own: that of one that shows it, if there is one."""
    axes = {id(each.slots): each.slots for each in series}
    if len(axes) == 1:
        return [slot for own in axes.values() for slot in own]
    slots = [slot for own in axes.values() for slot in own]
    # The last of each day stays.
    slots.sort(key=lambda slot: (slot.last, slot.state == SlotState.SHOWN, slot.is_whole))
    return list({slot.last: slot for slot in slots}.values())


def series_name(series: Series, *, of_locales: bool) -> str:
    if of_locales:
        return locale_name(series.locale)
    element = series.element
    display = isolated(Truncator(element.display).chars(LONGEST_NAME))
    return f"{display} {Truncator(element.name).chars(LONGEST_NAME)}".strip()


def _said(slot: Slot) -> tuple[object, ...]:
    """All that the words of a window tell."""
    return slot.first, slot.last, slot.missing


def _range(slots: Sequence[Slot]) -> list[str]:
    return [beside(slots[0], -0.6), beside(slots[-1], 0.6)] if slots else []


def _grey(slots: Iterable[Slot]) -> Iterator[dict[str, Any]]:
    """The week that goes on, and, in another tone, weeks that lack days; side by side as one."""
    for name, group in groupby(slots, key=_tone):
        run = list(group)
        if name:
            yield {
                "type": "rect",
                "name": name,
                "layer": "below",
                "x0": beside(run[0], -0.5),
                "x1": beside(run[-1], 0.5),
                "yref": "paper",
                "y0": 0,
                "y1": 1,
            }


def _tone(slot: Slot) -> str:
    """As the style sheet names it; none of what is whole, or has nothing to show."""
    if slot.state == SlotState.NOT_OVER:
        return "below"
    return "" if slot.is_whole else "partial"
