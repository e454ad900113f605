"""Charts that have their rows below each other: a histogram, a comparison, what changed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ldpsite_client import figures
from ldpsite_client.rows import ChangeRow, ComparisonRow

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Kinds of change: a sign beside each colour.
_CHANGES: Final = {
    "up": ("▲ up", "#005fd6"),
    "down": ("▼ down", figures.THRESHOLD),
    "new": ("✚ new", "#3a0f70"),
    "gone": ("✖ gone", figures.THRESHOLD),
    "uncertain": ("○ not clear", "#a2acb6"),
}
# How far the two points of a row are from its middle.
_APART: Final = 0.17


def histogram(document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> "Figure":
    """Draw shares as bars with their adjusted intervals, and the threshold, below which nothing is drawn."""
    n, shared = document["n"], document["threshold"]
    words = [
        f"<b>{figures.called(row)}</b><br>{figures.interval(row)}<br>about {row['estimate']:,.0f} reports"
        for row in rows
    ]
    # One line for all; of groups each has its own.
    ends = [(shared, -0.5, len(rows) - 0.5)] if shared is not None else []
    ends = ends or [(row["threshold"], place - 0.42, place + 0.42) for place, row in enumerate(rows)]
    line = {"color": figures.THRESHOLD, "width": 1.5, "dash": "solid" if shared is None else "dash"}
    shapes = [
        {"type": "line", "x0": 100 * t / n, "x1": 100 * t / n, "y0": start, "y1": stop, "line": line}
        for t, start, stop in ends
    ]
    note = {
        "text": "threshold T" if shared is not None else "T of each group",
        "x": 100 * ends[0][0] / n if ends else 0,
        "y": 1,
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12, "color": figures.THRESHOLD},
    }
    return figures.drawn(
        [figures.bars(range(len(rows)), figures.ends(rows), figures.BAR, words)],
        f"{document['use_case']}, {document['locale']}",
        f"{figures.days(document)}; {n:,} reports; 95 % intervals, adjusted for all elements",
        document["address"],
        {
            "xaxis": figures.shares_axis(),
            "yaxis": figures.rows_axis([figures.called(row) for row in rows]),
            "shapes": shapes,
            "annotations": [note] if ends else [],
            "height": figures.height_of(len(rows)),
        },
    )


def comparison(document: Mapping[str, Any], rows: Sequence[ComparisonRow]) -> "Figure":
    """Draw for each element a point with its interval on either side, joined; a dotted line to the most it can be."""
    first, second = document["first"], document["second"]
    fields = ("locale",) if figures.days(first) == figures.days(second) else ("locale", "first_day", "last_day")
    names = [
        side["locale"] if fields == ("locale",) else f"{side['locale']}, {figures.days(side)}"
        for side in (first, second)
    ]
    traces = [_joints(rows)]
    for number, (side, name) in enumerate(zip(("first_", "second_"), names, strict=True)):
        traces += _side(rows, side, name, number)
    about = f"{first['n']:,} and {second['n']:,} reports; 95 % intervals, adjusted for all elements"
    if fields == ("locale",):
        about = f"{figures.days(first)}; {about}"
    return figures.drawn(
        traces,
        f"{document['use_case']}: {names[0]} and {names[1]}",
        about,
        document["address"],
        {
            "xaxis": figures.shares_axis(),
            "yaxis": figures.rows_axis([figures.called(row) for row in rows]),
            **_legend_over(len(rows)),
        },
    )


def _legend_over(rows: int) -> dict[str, Any]:
    legend = {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"}
    return {"showlegend": True, "legend": legend, "height": figures.height_of(rows) + 24}


def _joints(rows: Sequence[ComparisonRow]) -> dict[str, Any]:
    """Return lines between the two points of a row, which show the difference."""
    shares = [(place, row["first_share"], row["second_share"]) for place, row in enumerate(rows)]
    known = [(place, first, second) for place, first, second in shares if first is not None and second is not None]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for _place, first, second in known for x in (100 * first, 100 * second, None)],
        "y": [y for place, _first, _second in known for y in (place - _APART, place + _APART, None)],
        "line": {"width": 2, "color": figures.QUIET},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _side(rows: Sequence[ComparisonRow], side: str, name: str, number: int) -> list[dict[str, Any]]:
    """Return the points of a side, and what is below its threshold as lines up to the bound."""
    found: Sequence[Mapping[str, Any]] = rows
    apart, colour = _APART * (2 * number - 1), figures.SERIES[number]
    above = [place for place, row in enumerate(found) if row[f"{side}share"] is not None]
    values, lower, upper = figures.ends([found[place] for place in above], side)

    def hover(place: int) -> str:
        row = found[place]
        return f"<b>{figures.called(row)}</b><br>{figures.text(name)}: {figures.interval(row, side)}"

    common = {"type": "scatter", "hoverinfo": "text", "legendgroup": name, "name": figures.text(name)}
    points = common | {
        "mode": "markers",
        "x": values,
        "y": [place + apart for place in above],
        "error_x": figures.errors(values, lower, upper, colour) | {"thickness": 2},
        "marker": {"color": colour, "size": 9, "symbol": figures.SYMBOLS[number]},
        "hovertext": [hover(place) for place in above],
    }
    bounds = [(place, 100 * row[f"{side}share_at_most"]) for place, row in enumerate(found) if place not in above]
    below = common | {
        "mode": "lines+markers",
        "showlegend": False,
        # From zero to the bound, and a gap before the next.
        "x": [x for _place, bound in bounds for x in (0, bound, None)],
        "y": [y for place, _bound in bounds for y in (place + apart, place + apart, None)],
        "line": {"dash": "dot", "width": 2, "color": colour},
        "marker": {"symbol": "triangle-left-open", "size": [size for _each in bounds for size in (0, 9, 0)]},
        "hovertext": [words for place, _bound in bounds for words in (hover(place), hover(place), "")],
    }
    return [points, below] if bounds else [points]


def changes(document: Mapping[str, Any], rows: Sequence[ChangeRow]) -> "Figure":
    """Draw differences in percentage points with their intervals; of what is bounded alone, the end next to zero."""
    several = len({row["locale"] for row in rows}) > 1
    traces = []
    for change, (name, colour) in _CHANGES.items():
        own = [(place, row) for place, row in enumerate(rows) if row["change"] == change]
        if not own:
            continue
        values, lower, upper = ([*part] for part in zip(*(_ends(row) for _place, row in own), strict=True))
        words = [
            f"<b>{_labelled(row, several=True)}</b><br>before {figures.interval(row, 'before_')}"
            f"<br>now {figures.interval(row)}"
            for _place, row in own
        ]
        bars = figures.bars([place for place, _row in own], (values, lower, upper), colour, words)
        bars["marker"]["pattern"] = {"shape": "/" if change in ("new", "gone") else ""}
        traces.append(bars | {"name": name})
    now, before = figures.days(document["now"]), figures.days(document["before"])
    return figures.drawn(
        traces,
        f"{document['use_case']}: what changed",
        f"{now}, compared with {before}; {document['clear']} of {document['listed']} are clear",
        document["address"],
        {
            "xaxis": {"title": {"text": "Change in percentage points"}, "zeroline": True},
            "yaxis": figures.rows_axis([_labelled(row, several=several) for row in rows]),
            "barmode": "overlay",
            **_legend_over(len(rows)),
        },
    )


def _labelled(row: ChangeRow, *, several: bool) -> str:
    return f"{figures.called(row)} · {figures.text(row['locale'])}" if several else figures.called(row)


def _ends(row: ChangeRow) -> tuple[float, float, float]:
    """Return where a bar ends, and the two ends of its interval, in points."""
    lower, upper = 100 * (row["difference_lower"] or 0.0), 100 * (row["difference_upper"] or 0.0)
    if row["difference"] is not None:
        return 100 * row["difference"], lower, upper
    return max(lower, 0.0) or min(upper, 0.0), lower, upper
