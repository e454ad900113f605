"""The chart of a comparison: for each element a point with its interval on either side, joined by a line."""

from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import percent
from reports.models import Version
from reports.results import colourful, element_name
from reports.results.comparison import ComparisonRow, Share, Verdict
from reports.web.pages.compare import comparison_numbers
from reports.web.pages.compare.comparison_table import SideNames, in_full
from reports.web.pages.figures import (
    ALIGNED_ROW,
    HEAD_HEIGHT,
    MARGIN,
    SYMBOLS,
    intervals,
    label,
    named,
    rows_axis,
    shaped,
    share_axis,
    short,
)
from reports.web.pages.locales import isolated

# More rows than these are in the table alone.
MOST_ROWS = 50
# With the two sides, and with what is below the threshold as well.
LEGEND_HEIGHTS = (40, 64)
# How far the two points of a row are from its middle.
_APART = 0.17
_LONGEST_SIDE = 60


def figure(version: Version, rows: Sequence[ComparisonRow], names: SideNames, digits: int) -> dict[str, Any]:
    """The first 50 rows, shares in percent. Of what is below its threshold nothing is drawn but the bound."""
    rows = rows[:MOST_ROWS]
    sides: list[tuple[str, Callable[[ComparisonRow], Share], float]] = [
        (names.first, lambda row: row.first, -_APART),
        (names.second, lambda row: row.second, _APART),
    ]
    traces = _joints(rows)
    for number, (name, share_of, apart) in enumerate(sides):
        shares = [share_of(row) for row in rows]
        hovers = [_hover(version, row, name, share, names, digits) for row, share in zip(rows, shares, strict=True)]
        traces += _traces(number, name, shares, apart, hovers)
    top = LEGEND_HEIGHTS[any(share_of(row).at_most is not None for row in rows for _name, share_of, _apart in sides)]
    layout = {
        "height": ALIGNED_ROW * len(rows) + top + MARGIN["b"],
        "margin": MARGIN | {"t": top},
        "showlegend": True,
        "hovermode": "closest",
        "xaxis": share_axis(),
        "yaxis": rows_axis([short(colourful(row.display)) for row in rows]),
        "meta": {
            "named": [label(named(colourful(row.display), element_name(version, row.display))) for row in rows],
            "aligned": {
                "height": ALIGNED_ROW * len(rows) + HEAD_HEIGHT,
                "margin": {"l": 12, "r": 12, "t": HEAD_HEIGHT, "b": 0},
                "showlegend": False,
            },
            "pictures": version.normalization == "emoji",
        },
    }
    return shaped(traces, layout)


def _joints(rows: Sequence[ComparisonRow]) -> list[Any]:
    """Lines between the two points of a row, which show a difference: strong where it is clear, else faint."""
    found = []
    for is_clear, role in {False: "line", True: "quiet"}.items():
        own = [
            (place, row.first.value, row.second.value)
            for place, row in enumerate(rows)
            if row.first.value is not None
            and row.second.value is not None
            and (row.verdict in (Verdict.MORE_IN_FIRST, Verdict.MORE_IN_SECOND)) == is_clear
        ]
        found.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [x for _place, first, second in own for x in (100 * first, 100 * second, None)],
                "y": [y for place, _first, _second in own for y in (place - _APART, place + _APART, None)],
                "line": {"width": 2},
                "hoverinfo": "skip",
                "showlegend": False,
                "meta": {"role": role},
            }
        )
    return found


def _traces(number: int, name: str, shares: Sequence[Share], apart: float, hovers: Sequence[str]) -> list[Any]:
    """The points of a side, and what is below its threshold as lines up to the bound."""
    role = {"role": f"series-{number + 1}"}
    name = Truncator(name).chars(_LONGEST_SIDE)
    # Also without any point, so that the legend always has both sides.
    above = [place for place, share in enumerate(shares) if share.value is not None]
    values, lower, upper = (
        [100 * (getattr(shares[place], part) or 0.0) for place in above] for part in ("value", "lower", "upper")
    )
    points = go.Scatter(
        mode="markers",
        name=label(name),
        x=values,
        y=[place + apart for place in above],
        error_x=intervals(values, lower, upper) | {"thickness": 2},
        marker={"symbol": SYMBOLS[number], "size": 9},
        hovertext=[hovers[place] for place in above],
        hoverinfo="text",
        meta=role,
    )
    below = [(place, share.at_most) for place, share in enumerate(shares) if share.at_most is not None]
    if not below:
        return [points]
    bounds = go.Scatter(
        mode="lines+markers",
        name=label(_("%(side)s: below T, at most") % {"side": name}),
        # From zero to the bound, and a gap before the next.
        x=[x for _place, bound in below for x in (0, 100 * bound, None)],
        y=[y for place, _bound in below for y in (place + apart, place + apart, None)],
        line={"dash": "dot", "width": 2},
        marker={"symbol": "triangle-left-open", "size": [size for _each in below for size in (0, 9, 0)]},
        hovertext=[text for place, _bound in below for text in (hovers[place], hovers[place], "")],
        hoverinfo="text",
        meta=role,
    )
    return [points, bounds]


def _hover(version: Version, row: ComparisonRow, side: str, share: Share, names: SideNames, digits: int) -> str:
    title = f"{isolated(colourful(row.display))} {element_name(version, row.display)}".strip()
    if share.value is not None:
        said = _("%(side)s: %(share)s (95 %% interval, adjusted: %(interval)s)") % {
            "side": side,
            "share": percent(share.value, digits),
            "interval": comparison_numbers.interval(share, digits),
        }
    else:
        said = _("%(side)s: below T, %(at_most)s") % {
            "side": side,
            "at_most": comparison_numbers.at_most(share.at_most or 0.0, digits),
        }
    found = [f"<b>{label(title)}</b>", label(said)]
    if points := comparison_numbers.difference(row, digits):
        found.append(label(_("difference in points: %(points)s") % {"points": points}))
    return "<br>".join([*found, label(in_full(row, names))])


def summary(rows: Sequence[ComparisonRow], names: SideNames) -> str:
    """One sentence for those who do not see the chart."""
    words = ngettext(
        "Chart of estimated shares in %(first)s and in %(second)s with 95 %% intervals: %(count)s row; the table has"
        " the same numbers.",
        "Chart of estimated shares in %(first)s and in %(second)s with 95 %% intervals: %(count)s rows; the table has"
        " the same numbers.",
        min(len(rows), MOST_ROWS),
    )
    return words % {"first": names.first, "second": names.second, "count": min(len(rows), MOST_ROWS)}
