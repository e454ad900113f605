"""The chart of what changed: for each element a bar from 0 to its difference, with its interval."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import Version
from reports.results import colourful, element_name
from reports.results.changes import Change, ChangeRow
from reports.web.pages.changes import changes_words
from reports.web.pages.compare import comparison_numbers
from reports.web.pages.figures import ALIGNED_ROW, HEAD_HEIGHT, MARGIN, label, named, rows_axis, shaped, short
from reports.web.pages.locales import UNDIVIDED, isolated

# More rows than these are in the table alone.
MOST_ROWS = 20
_ROW_HEIGHT = 32
_LEGEND_HEIGHT = 56
# By what the style sheet calls their colours.
_ROLES = {Change.GONE: "down"}


def figure(version: Version, rows: Sequence[ChangeRow], digits: int) -> dict[str, Any]:
    """The first rows, differences in percentage points. Of what is only known by bounds the nearer one is drawn."""
    rows = rows[:MOST_ROWS]
    traces = [
        _trace(version, change, [(place, row) for place, row in enumerate(rows) if row.change == change], digits)
        for change in Change
    ]
    several = len({row.locale for row in rows}) > 1
    texts = [_with_locale(isolated(colourful(row.row.display)), row, several) for row in rows]
    layout = {
        "height": _ROW_HEIGHT * len(rows) + _LEGEND_HEIGHT + MARGIN["b"],
        "margin": MARGIN | {"t": _LEGEND_HEIGHT},
        "showlegend": True,
        "barmode": "overlay",
        "hovermode": "closest",
        "xaxis": {"title": {"text": label(_("Change in percentage points"))}, "zeroline": True},
        "yaxis": rows_axis([short(text) for text in texts]),
        "meta": {
            "named": [label(_with_locale(_named(version, row), row, several)) for row in rows],
            "aligned": {
                "height": ALIGNED_ROW * len(rows) + HEAD_HEIGHT,
                "margin": {"l": 12, "r": 12, "t": HEAD_HEIGHT, "b": 0},
                "showlegend": False,
            },
            "pictures": False,
        },
    }
    return shaped([trace for trace in traces if trace is not None], layout)


def _named(version: Version, row: ChangeRow) -> str:
    return named(colourful(row.row.display), element_name(version, row.row.display))


def _with_locale(element: str, row: ChangeRow, several: bool) -> str:
    if not several or row.locale == UNDIVIDED:
        return element
    return f"{element} · {row.locale}"


def _trace(version: Version, change: Change, rows: Sequence[tuple[int, ChangeRow]], digits: int) -> Any | None:
    if not rows:
        return None
    sign, name = changes_words.NAMES[change]
    found = [ends(row) for _place, row in rows]
    return go.Bar(
        orientation="h",
        name=label(f"{sign} {name}"),
        # Else those of which there are few would be thicker.
        width=0.66,
        y=[place for place, _row in rows],
        x=[value for value, _less, _more in found],
        error_x={
            "type": "data",
            "array": [more for _value, _less, more in found],
            "arrayminus": [less for _value, less, _more in found],
            "thickness": 1.5,
            "width": 4,
        },
        marker={"pattern": {"shape": "/"}} if change in (Change.NEW, Change.GONE) else {},
        hovertext=[_hover(version, row, digits) for _place, row in rows],
        hoverinfo="text",
        meta={"role": _ROLES.get(change, str(change))},
    )


def ends(change: ChangeRow) -> tuple[float, float, float]:
    """Return where a bar ends, and how far its interval reaches from there to either side, in points."""
    row = change.row
    lower, upper = 100 * (row.lower or 0.0), 100 * (row.upper or 0.0)
    if row.difference is not None:
        return 100 * row.difference, 100 * row.difference - lower, upper - 100 * row.difference
    # As far as is certain: of a range around 0 that is nothing.
    value = max(lower, 0.0) or min(upper, 0.0)
    return value, value - lower, upper - value


def _hover(version: Version, change: ChangeRow, digits: int) -> str:
    row = change.row
    found = [f"<b>{label(changes_words.where(version, change))}</b>"]
    words = _("before %(before)s, now %(now)s") % {
        "before": changes_words.share(row.second, digits),
        "now": changes_words.share(row.first, digits),
    }
    found.append(label(words))
    if points := comparison_numbers.difference(row, digits):
        found.append(label(_("difference in points: %(points)s") % {"points": points}))
    if interval := comparison_numbers.difference_interval(row, digits):
        found.append(label(_("95 %% interval, adjusted: %(interval)s") % {"interval": interval}))
    return "<br>".join([*found, label(str(changes_words.NAMES[change.change][1]))])


def summary(rows: Sequence[ChangeRow]) -> str:
    """One sentence for those who do not see the chart."""
    count = min(len(rows), MOST_ROWS)
    words = ngettext(
        "Chart of the change of %(count)s element with its 95 %% interval; the table has the same numbers.",
        "Chart of the changes of %(count)s elements with their 95 %% intervals; the table has the same numbers.",
        count,
    )
    return words % {"count": count}
