"""Charts of panels beside each other: elements over days, and the top of each locale."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from ldpsite_client import figures
from ldpsite_client.rows import LocaleRow, TrendPoint

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_COLUMNS: Final = 3
_PANEL, _TITLE, _GAP = 200, 44, 48
# The longest name beside the bars of a panel.
_LONGEST: Final = 16
_SIGNS: Final = {"more": " ▲", "less": " ▼"}


def trend(document: Mapping[str, Any], points: Sequence[TrendPoint]) -> "Figure":
    """Draw a panel for each element: a line with its band, the threshold, and bounds of what is below it."""
    elements = {point["element"]: point for point in points}
    layout = _layout([figures.called(point) for point in elements.values()], _PANEL)
    traces: list[dict[str, Any]] = []
    for number, element in enumerate(elements):
        own = [point for point in points if point["element"] == element]
        axes = {"xaxis": f"x{number + 1}", "yaxis": f"y{number + 1}"}
        traces += [trace | axes for trace in _over_days(own, number)]
        layout[f"xaxis{number + 1}"] |= {"type": "date", "showgrid": False, "nticks": 5}
        layout[f"yaxis{number + 1}"] |= {"rangemode": "tozero", "ticksuffix": " %", "nticks": 5, "zeroline": False}
    step = "weeks" if document["step"] == 7 else "days"
    return figures.drawn(
        traces,
        f"{document['use_case']}, {document['locale']}: {step}",
        f"{figures.days(document)}; share of reports; 95 % intervals, adjusted; dotted: threshold T",
        document["address"],
        layout,
    )


def _over_days(points: Sequence[TrendPoint], number: int) -> list[dict[str, Any]]:
    place = number % len(figures.SERIES)
    colour, common = figures.SERIES[place], {"type": "scatter", "hoverinfo": "skip"}
    thresholds = [
        100 * point["threshold"] / point["n"] if point["threshold"] is not None and point["n"] else None
        for point in points
    ]
    found = [
        common
        | {
            "mode": "lines",
            "x": [point["last_day"] for point in points],
            "y": thresholds,
            "line": {"color": figures.QUIET, "width": 1, "dash": "dot", "shape": "hvh"},
        }
    ]
    # No line leads over a gap, nor from one version to another.
    for (_version, shown), group in groupby(points, key=lambda point: (point["version"], point["share"] is not None)):
        if not shown:
            continue
        run = [*group]
        x = [point["last_day"] for point in run]
        values, lower, upper = figures.ends(run)
        found.append(
            common
            | {
                "mode": "lines",
                "x": [*x, *reversed(x)],
                "y": [*upper, *reversed(lower)],
                "fill": "toself",
                "fillcolor": figures.BANDS[place],
                "line": {"width": 0},
            }
        )
        found.append(
            common
            | {
                "mode": "lines+markers",
                "x": x,
                "y": values,
                "line": {"color": colour, "width": 2},
                "marker": {"size": 6, "symbol": figures.SYMBOLS[place]},
                # A point that stands alone has no width: its interval is a line.
                "error_y": figures.errors(values, lower, upper, colour) if len(run) == 1 else {"visible": False},
                **_hover(run),
            }
        )
    bounds = [point for point in points if point["share_at_most"] is not None]
    below = {
        "mode": "markers",
        "x": [point["last_day"] for point in bounds],
        "y": [100 * (point["share_at_most"] or 0.0) for point in bounds],
        "marker": {"size": 9, "symbol": "triangle-down-open", "color": colour},
    }
    return [*found, common | below | _hover(bounds)] if bounds else found


def _hover(points: Sequence[TrendPoint]) -> dict[str, Any]:
    words = [f"<b>{figures.called(each)}</b><br>{figures.days(each)}<br>{figures.interval(each)}" for each in points]
    return {"hovertext": words, "hoverinfo": "text"}


def all_locales(document: Mapping[str, Any], rows: Sequence[LocaleRow]) -> "Figure":
    """Draw a panel for each locale: its top elements, all on one scale; a sign where it differs from the others."""
    tops: dict[str, list[LocaleRow]] = {}
    for row in sorted(rows, key=lambda row: row["rank"] or 0):
        if row["rank"] is not None and row["rank"] <= document["top"]:
            tops.setdefault(row["locale"], []).append(row)
    # In the order of the site.
    tops = {each["locale"]: tops[each["locale"]] for each in document["locales"] if each["locale"] in tops}
    widest = 105 * max((row["share_upper"] or 0.0 for top in tops.values() for row in top), default=1.0)
    most = max((len(top) for top in tops.values()), default=1)
    layout, traces = _layout([figures.text(locale) for locale in tops], 26 * most + _TITLE, inset=0.42), []
    for number, top in enumerate(tops.values(), 1):
        words = [f"<b>{figures.called(row)}</b><br>{figures.interval(row)}" for row in top]
        bars = figures.bars(range(len(top)), figures.ends(top), figures.BAR, words)
        traces.append(bars | {"xaxis": f"x{number}", "yaxis": f"y{number}"})
        labels = [figures.called(row, _LONGEST) + _SIGNS.get(row["standing"], "") for row in top]
        layout[f"yaxis{number}"] |= figures.rows_axis(labels) | {"range": [most - 0.5, -0.5], "automargin": False}
        layout[f"xaxis{number}"] |= {"range": [0, widest], "ticksuffix": " %", "nticks": 4, "zeroline": False}
    return figures.drawn(
        traces,
        f"{document['use_case']}: all locales",
        f"{figures.days(document)}; share of reports; 95 % intervals; ▲▼ clearly more or less than in the others",
        document["address"],
        layout,
    )


def _layout(titles: Sequence[str], height: int, inset: float = 0.0) -> dict[str, Any]:
    """Return axes for panels in rows of three, each below its title; `inset` is the part that labels of rows take."""
    columns = min(_COLUMNS, len(titles)) or 1
    rows = -(-len(titles) // columns) or 1
    whole = rows * height + (rows - 1) * _GAP
    layout: dict[str, Any] = {"height": figures.height_of(0) + whole, "annotations": []}
    for number, title in enumerate(titles, 1):
        row, column = divmod(number - 1, columns)
        width, top = (1 - 0.07 * (columns - 1)) / columns, 1 - row * (height + _GAP) / whole
        left = column * (width + 0.07)
        layout[f"xaxis{number}"] = {"anchor": f"y{number}", "domain": [left + inset * width, left + width]}
        layout[f"yaxis{number}"] = {
            "anchor": f"x{number}",
            "domain": [max(top - height / whole, 0.0), top - _TITLE / 2 / whole],
        }
        layout["annotations"].append(
            {
                "text": f"<b>{title}</b>",
                "x": left,
                "y": top - _TITLE / 2 / whole,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
            }
        )
    return layout
