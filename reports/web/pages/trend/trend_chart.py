"""The chart of a trend: lines with bands, and what is not a line: bounds, grey windows, what happened."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext as _

from reports.formatting import percent, short_day
from reports.models import Annotation
from reports.results.trend import Series, Slot, SlotState
from reports.web.pages import annotation_marks
from reports.web.pages.figures import MARGIN, MOST_SERIES, label, shaped, share_axis
from reports.web.pages.locales import isolated, locale_name
from reports.web.pages.trend.traces import (
    Drawn,
    Trace,
    alone,
    band,
    beside,
    bounds,
    drawn,
    is_marked,
    line,
    place,
    thresholds,
)
from reports.web.pages.trend.trend_words import windows_words

HEIGHT = 440
# Height of one of several panels, with its title and the days below it.
PANEL_HEIGHT = 190
LONGEST_NAME = 28
# The height of a name at a line.
_LABEL = 18
# The width of a letter of it.
_LETTER = 7
# From so many elements on, each has a panel of its own: more lines would hide each other.
FACETS_FROM = 3
# Where dates are so few, each has its mark: else there would be hours between them.
FEW = 8
# In a panel there is no room for more.
MOST_TICKS = 4
# Between a window and the one before.
_BEFORE = -0.5


def figure(
    series: Sequence[Series],
    annotations: Sequence[Annotation],
    *,
    of_locales: bool = False,
    faceted: bool = False,
) -> dict[str, Any]:
    """Up to six series of shares in percent, with the intervals of each window; `faceted` each in a panel of its own.

    Panels share their days, and those of locales their shares, too; of elements each has its own from 0. `chart.js`
    arranges them by the width there is.
    """
    series = series[:MOST_SERIES]
    lines = drawn(series, [series_name(each, of_locales=of_locales) for each in series])
    # Series of a locale have the same windows.
    axes = {id(each.series.slots): each.series.slots for each in lines}
    words = {key: windows_words(slots, versions=len(lines) > len(series)) for key, slots in axes.items()}
    of_one = 1 if faceted else len(series)
    traces = [
        *map(band, lines),
        *(line(each, words[id(each.series.slots)]) for each in lines),
        *(alone(each) for each in lines if not is_marked(each.series)),
        *(bounds(each, of_one) for each in lines if each.bounds),
    ]
    along, begins = axis(series), _begins(lines)
    if faceted or not of_locales:
        traces += [thresholds(each) for each in lines if faceted or each.number == 1]
    shapes = [
        *_grey(along),
        *annotation_marks.lines(annotations),
        *(_line(beside(slot, _BEFORE)) for slot in begins.values()),
    ]
    notes = [*annotation_marks.numbers(annotations, along), *_names(begins, along)]
    if faceted:
        heights = _heights(lines, room=bool(notes)) if of_locales else None
        return shaped([_in_panel(trace) for trace in traces], _panels(lines, along, shapes, notes, heights))
    few = {"tickmode": "array", "tickvals": [place(slot) for slot in along]} if len(along) < FEW else {}
    ends = _ends(lines)
    layout = {
        "height": HEIGHT,
        "showlegend": True,
        "margin": MARGIN | {"t": 40},
        # On a wide screen names stand at the ends of their lines, and no legend above.
        "meta": {"ends": len(ends), "right": 24 + _LETTER * max((len(each.name) for each in lines), default=0)},
        "hovermode": "closest",
        "xaxis": {"type": "date", "range": _range(along), "showgrid": False, **few},
        "yaxis": share_axis(),
        "shapes": shapes,
        # Last, so that they are found.
        "annotations": [*notes, *ends],
    }
    return shaped(traces, layout)


def _ends(lines: Sequence[Drawn]) -> list[dict[str, Any]]:
    """The name of each series behind the end of its line, no nearer to another than its height."""
    found = []
    for each in lines:
        shown = [value for value in each.percents if value is not None]
        if each.is_newest and shown:
            found.append((shown[-1][0], each))
    highest = max((value[2] for each in lines for value in each.percents if value is not None), default=1.0)
    apart, above = 1.05 * highest * _LABEL / (HEIGHT - 100), float("inf")
    notes = []
    for share, each in sorted(found, key=lambda end: -end[0]):
        above = min(share, above - apart)
        notes.append(
            {
                "name": f"series-{each.number}",
                "text": label(each.name),
                "x": 1,
                "xref": "paper",
                "y": above,
                "xanchor": "left",
                "yanchor": "middle",
                "xshift": 6,
                "showarrow": False,
                "font": {"size": 13},
            }
        )
    return notes


# --- Panels ---


def _in_panel(trace: Trace) -> Trace:
    """A trace on the axes of its series, which no dashes need to tell from another."""
    number = trace["legendgroup"].removeprefix("series-")
    suffix = "" if number == "1" else number
    if trace["mode"].startswith("lines") and trace["meta"]["role"] == trace["legendgroup"]:
        trace |= {"line": trace["line"] | {"dash": "solid"}}
    return trace | {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}", "showlegend": False}


def _panels(
    lines: Sequence[Drawn],
    along: Sequence[Slot],
    shapes: Sequence[dict[str, Any]],
    notes: Sequence[dict[str, Any]],
    heights: list[float] | None,
) -> dict[str, Any]:
    """The layout of a panel for each series; `heights` are those of all, if they have the same."""
    titles = {each.number: each for each in lines if each.is_newest}
    count = len(titles)
    ticks = _few([slot for slot in along if slot.state != SlotState.NOT_OVER] or along)
    layout: dict[str, Any] = {
        # With room for three beside each other, as most screens have.
        "height": PANEL_HEIGHT * max(-(-count // 3), 2),
        "showlegend": False,
        "margin": {"l": 48, "r": 12, "t": 28, "b": 28},
        "hovermode": "closest",
        # Anywhere in a panel a pointer reads the nearest point.
        "hoverdistance": -1,
        "meta": {"panels": count, "height": PANEL_HEIGHT},
        "shapes": [],
        "annotations": [],
    }
    for number in titles:
        suffix = "" if number == 1 else str(number)
        own = {"xref": f"x{suffix}", "yref": f"y{suffix} domain"}
        layout[f"xaxis{suffix}"] = {
            "type": "date",
            "range": _range(along),
            "showgrid": False,
            "anchor": f"y{suffix}",
            "tickmode": "array",
            "tickvals": [place(slot) for slot in ticks],
            "ticktext": [label(short_day(slot.last, near=slot.last)) for slot in ticks],
        }
        shares = share_axis() | {"anchor": f"x{suffix}", "automargin": False, "nticks": 5}
        own_lines = [each for each in lines if each.number == number]
        shares["range"] = heights or _heights(own_lines, room=bool(notes))
        layout[f"yaxis{suffix}"] = shares | {"title": {}}
        layout["shapes"] += [shape | own for shape in shapes]
        layout["annotations"] += [note | own for note in notes]
    # Last, so that they are found: the title of each panel stands above it, at its left.
    layout["annotations"] += [_title(each) for each in titles.values()]
    return layout


def _heights(lines: Sequence[Drawn], *, room: bool) -> list[float]:
    """From 0 to above all of a panel; with room above the lines for the numbers of what happened."""
    known = [end for each in lines for value in each.percents if value is not None for end in value]
    for each in lines:
        known += [share for _slot, share in each.bounds]
        known += [share for share in each.thresholds if share is not None]
    return [min(0.0, *known), (1.3 if room else 1.08) * max(known, default=1.0)] if known else [0.0, 1.0]


def _few(along: Sequence[Slot]) -> list[Slot]:
    """Some of the windows, evenly apart, with the last of them."""
    apart = max(-(-len(along) // MOST_TICKS), 1)
    return list(along[::-1][::apart][::-1])


def _title(drawn: Drawn) -> dict[str, Any]:
    suffix = "" if drawn.number == 1 else str(drawn.number)
    newest = next((value[0] for value in reversed(drawn.percents) if value is not None), None)
    share = f"  {percent(newest / 100, 1)}" if newest is not None else ""
    return {
        "name": f"series-{drawn.number}",
        "text": f"<b>{label(drawn.name)}</b>{label(share)}",
        "xref": f"x{suffix} domain",
        "x": 0,
        "xanchor": "left",
        "yref": f"y{suffix} domain",
        "y": 1,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 13},
    }


def axis(series: Iterable[Series]) -> list[Slot]:
    """The windows in their order. Of locales each may have its own: that of one that shows it, if there is one."""
    axes = {id(each.slots): each.slots for each in series}
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


def _begins(lines: Iterable[Drawn]) -> dict[int, Slot]:
    """The first window that each newer version shows, by its number."""
    found: dict[int, Slot] = {}
    for each in lines:
        slot = next((slot for slot in each.series.slots if slot.histogram is not None), None)
        if slot is not None and slot.last <= found.get(slot.version.number, slot).last:
            found[slot.version.number] = slot
    return {number: found[number] for number in sorted(found)[1:]}


def _line(place: str) -> dict[str, Any]:
    ends = {"x0": place, "x1": place, "yref": "paper", "y0": 0, "y1": 1}
    return {"type": "line", "name": "version", "line": {"width": 2}} | ends


def _names(begins: Mapping[int, Slot], along: Sequence[Slot]) -> Iterator[dict[str, Any]]:
    """The name of each version at the foot of its line, for at the head there are annotations."""
    for number, slot in begins.items():
        # Inside of the drawing.
        is_left = slot.last - along[0].last < along[-1].last - slot.last
        words = _("version %(number)s") if is_left else _("version %(number)s →")
        yield {
            "name": "version",
            "text": label(words % {"number": number}),
            "x": beside(slot, _BEFORE),
            "y": 0,
            "yref": "paper",
            "xanchor": "left" if is_left else "right",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 12},
            "borderwidth": 1,
            "borderpad": 2,
        }


def _range(slots: Sequence[Slot]) -> list[str]:
    """From the first to the last, but for those that go on, of which there is only a mark at the end."""
    over = [slot for slot in slots if slot.state != SlotState.NOT_OVER] or slots
    return [beside(slots[0], -0.6), beside(over[-1], 0.6)] if slots else []


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
                # The span of a thin mark at its beginning.
                "x1": beside(run[0], -0.4) if name == "below" else beside(run[-1], 0.5),
                "yref": "paper",
                "y0": 0,
                "y1": 1,
            }


def _tone(slot: Slot) -> str:
    """As the style sheet names it; none of what is whole, or has nothing to show."""
    if slot.state == SlotState.NOT_OVER:
        return "below"
    return "" if slot.is_whole else "partial"
