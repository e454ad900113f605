"""The chart of a histogram: a Plotly figure shaped here, drawn and coloured by `chart.js`."""

import html
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.formats import get_format
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import Histogram
from reports.numbers import percent, whole
from reports.pages.locales import isolated
from reports.results.rows import Row

MOST_BARS = 200
BAR_HEIGHT = 32
MARGIN = {"l": 8, "r": 16, "t": 28, "b": 44}
LONGEST_NAME = 32
# On a narrow screen the bars need the room; the table has the whole of it.
LONGEST_SHORT = 18
FONT = '"Noto Sans", system-ui, sans-serif'

# Colours are not here: the script takes them from the style sheet, where light and dark are at home.
TEMPLATE = go.layout.Template(
    layout={
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 13},
        "margin": MARGIN,
        "bargap": 0.34,
        "showlegend": False,
        "dragmode": False,
        "hoverlabel": {"align": "left", "namelength": 0, "font": {"family": FONT, "size": 13}},
        "xaxis": {
            "fixedrange": True,
            "rangemode": "tozero",
            "ticksuffix": "\u00a0%",
            "nticks": 7,
            "zeroline": False,
            "title": {"standoff": 8, "font": {"size": 13}},
        },
        "yaxis": {
            "fixedrange": True,
            "automargin": True,
            "showgrid": False,
            "zeroline": False,
            # Ticks that are not seen keep the labels off the bars.
            "ticks": "outside",
            "ticklen": 6,
            "tickcolor": "rgba(0,0,0,0)",
        },
    }
)


def figure(histogram: Histogram, rows: Sequence[Row]) -> dict[str, Any]:
    """The rows, at most 200 of them, as horizontal bars of shares in percent with adjusted intervals."""
    rows = rows[:MOST_BARS]
    scale = 100 / histogram.n
    words = _("threshold T") if histogram.threshold is not None else _("T of each group")
    bars = go.Bar(
        orientation="h",
        x=[row.entry.estimate * scale for row in rows],
        y=list(range(len(rows))),
        error_x={
            "type": "data",
            "array": [(row.entry.adjusted_upper - row.entry.estimate) * scale for row in rows],
            "arrayminus": [(row.entry.estimate - row.entry.adjusted_lower) * scale for row in rows],
            "thickness": 1.5,
            "width": 4,
        },
        hovertext=[_hover(histogram, row) for row in rows],
        hoverinfo="text",
    )
    layout = go.Layout(
        template=TEMPLATE,
        height=BAR_HEIGHT * len(rows) + MARGIN["t"] + MARGIN["b"],
        separators=get_format("DECIMAL_SEPARATOR") + get_format("THOUSAND_SEPARATOR"),
        xaxis={"title": {"text": html.escape(_("Estimated share of reports"), quote=False)}},
        yaxis={
            # A linear axis with texts, because a word such as 2024 would turn a category axis into one of dates.
            "type": "linear",
            "range": [len(rows) - 0.5, -0.5],
            "tickvals": list(range(len(rows))),
            "ticktext": [_label(isolated(Truncator(row.display).chars(LONGEST_SHORT))) for row in rows],
        },
        shapes=_thresholds(histogram, rows, scale),
        annotations=[
            {
                "text": html.escape(words, quote=False),
                "x": rows[0].threshold * scale,
                "y": 1,
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 12},
            }
        ],
        # For wide screens, where a name fits beside the element.
        meta={
            "named": [_label(_named(row)) for row in rows],
            "pictures": histogram.version.normalization == "emoji" and histogram.grouping != "category",
        },
    )
    shaped: dict[str, Any] = go.Figure(bars, layout).to_plotly_json()
    return shaped


def _thresholds(histogram: Histogram, rows: Sequence[Row], scale: float) -> list[dict[str, Any]]:
    """One line for all, or a mark across the bar of each group, which has its own."""
    line = {"dash": "dash", "width": 1.5}
    if histogram.threshold is not None:
        x = histogram.threshold * scale
        return [{"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": line}]
    line = {"dash": "solid", "width": 2}
    return [
        {"type": "line", "x0": x, "x1": x, "yref": "y", "y0": place - 0.42, "y1": place + 0.42, "line": line}
        for place, x in enumerate(row.threshold * scale for row in rows)
    ]


def _named(row: Row) -> str:
    if not row.name:
        return isolated(Truncator(row.display).chars(LONGEST_NAME))
    return f"{Truncator(row.name).chars(LONGEST_NAME)}  {row.display}"


def _label(text: str) -> str:
    # Plotly reads labels as markup, and elements may be chosen by strangers. It does not know &quot;.
    return html.escape(text, quote=False)


def _hover(histogram: Histogram, row: Row) -> str:
    entry = row.entry
    title = f"{isolated(row.display)} {row.name}".strip()
    lines = [f"<b>{_label(title)}</b>"]
    if entry.display.isascii() is not entry.element.isascii():  # a domain name, as people read it and as it is counted
        lines.append(_label(entry.element))
    if entry.category and entry.category != entry.display:
        lines.append(_label(_("Category: %(category)s") % {"category": entry.category}))
    lines += [
        _label(
            _("about %(estimate)s reports, %(share)s of all")
            % {"estimate": whole(entry.estimate), "share": percent(row.share)}
        ),
        _label(
            _("95 %% interval, adjusted: %(lower)s to %(upper)s")
            % {"lower": whole(entry.adjusted_lower), "upper": whole(entry.adjusted_upper)}
        ),
    ]
    if entry.is_new:
        lines.append(_label(_("new since the last run")))
    if histogram.grouping:
        lines.append(
            _label(
                ngettext(
                    "one element; its threshold T is %(threshold)s",
                    "sum of %(members)s elements; its threshold T is %(threshold)s",
                    entry.members,
                )
                % {"members": whole(entry.members), "threshold": whole(row.threshold)}
            )
        )
    return "<br>".join(lines)


def summary(histogram: Histogram, rows: Sequence[Row], place: str) -> str:
    """One sentence for those who do not see the chart."""
    first = rows[0]
    return _(
        "Bar chart of estimated shares in %(place)s with 95 %% intervals: %(count)s %(what)s, led by %(element)s with"
        " %(share)s; the table has the same numbers."
    ) % {
        "what": _("words") if first.word else _("groups") if histogram.grouping else _("elements"),
        "place": place,
        "count": min(len(rows), MOST_BARS),
        "element": first.name or isolated(first.display),
        "share": percent(first.share),
    }
