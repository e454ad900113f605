"""Common parts of all charts: a Plotly template, safe labels, and the text in a picture of one.

Colours are not here: a trace says by `meta.role` what it is, a shape or an annotation by `name`, and `chart.js` takes
their colours from the style sheet, where light and dark are at home.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from django.http import HttpRequest
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from reports.formatting import separators
from reports.web.pages.addresses import exact_address
from reports.web.pages.exports import Download
from reports.web.pages.locales import UNDIVIDED, isolated
from reports.web.pages.provenance_facts import Facts

FONT = '"Noto Sans", system-ui, sans-serif'
MARGIN = {"l": 8, "r": 16, "t": 28, "b": 44}
# Rows and head of a table that a chart stands in, where there is room.
ALIGNED_ROW, HEAD_HEIGHT = 40, 56
# As many series as have a colour. They differ by dash and symbol, too, so that colours are not needed.
MOST_SERIES = 6
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")

TEMPLATE: Final = {
    "layout": {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 13},
        "margin": MARGIN,
        "showlegend": False,
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"},
        "dragmode": False,
        "hoverlabel": {"align": "left", "namelength": 0, "font": {"family": FONT, "size": 13}},
        "xaxis": {"fixedrange": True, "zeroline": False, "title": {"standoff": 8, "font": {"size": 13}}},
        "yaxis": {
            "fixedrange": True,
            "automargin": True,
            "zeroline": False,
            "title": {"standoff": 8, "font": {"size": 13}},
        },
    }
}


@dataclass(frozen=True)
class Chart:
    """A figure with its summary, and all that stands in a picture of it, to be read where the page is not.

    Texts, not markup. Without a title no pictures are made.
    """

    figure: dict[str, Any]
    # One sentence for those who do not see it.
    summary: str
    # The name of its file, without the ending.
    name: str
    title: str = ""
    caption: str = ""
    # Names and values, as the page lists them.
    provenance: Sequence[tuple[str, str]] = ()
    # Where the page is, with what is shown said in full.
    address: str = ""
    # The origin of the numbers in the chart, a line each.
    notes: str = ""
    # The addresses that its rows lead to, from top to bottom, as those of the table do.
    links: Sequence[str] = ()

    def pictured(
        self,
        request: HttpRequest | None,
        parameters: str,
        *,
        title: str,
        caption: str,
        provenance: Facts,
        notes: str = "",
        links: Sequence[str] = (),
    ) -> Self:
        """With what stands in pictures of it and where its rows lead; without a request, as it is embedded, as it is.

        `parameters` are the query string of exactly what is shown.
        """
        if request is None:
            return self
        address = exact_address(request, parameters)
        return replace(
            self, title=title, caption=caption, provenance=provenance, address=address, notes=notes, links=links
        )

    @property
    def origin(self) -> str:
        """The provenance as one text."""
        return " · ".join(_("%(name)s: %(value)s") % {"name": name, "value": value} for name, value in self.provenance)


def label(text: str) -> str:
    """A text as Plotly draws it: it reads labels as markup, and elements may be chosen by strangers."""
    # It does not know &quot;.
    return html.escape(text, quote=False)


def rows_axis(texts: Sequence[str]) -> dict[str, Any]:
    """The axis of a chart that has its rows below each other, from top to bottom, with what each of them is of."""
    return {
        # A linear axis with texts, because a word such as 2024 would turn a category axis into one of dates.
        "type": "linear",
        "range": [len(texts) - 0.5, -0.5],
        "tickvals": list(range(len(texts))),
        "ticktext": [label(text) for text in texts],
        "showgrid": False,
        # Ticks that are not seen keep the labels off the bars.
        "ticks": "outside",
        "ticklen": 6,
        "tickcolor": "rgba(0,0,0,0)",
    }


def intervals(values: Sequence[float], lower: Sequence[float], upper: Sequence[float]) -> dict[str, Any]:
    """The error bars of values with these ends."""
    return {
        "type": "data",
        "array": [end - value for value, end in zip(values, upper, strict=True)],
        "arrayminus": [value - end for value, end in zip(values, lower, strict=True)],
        "thickness": 1.5,
        "width": 4,
    }


def series(
    place: int, name: str, x: Sequence[Any], y: Sequence[float | None], hover: Sequence[str] = (), **more: Any
) -> dict[str, Any]:
    """A line with marks, in the colour, the dash and the symbol of its place among the lines of a chart."""
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": label(name),
        "x": [*x],
        "y": [*y],
        "meta": {"role": f"series-{place + 1}"},
        "line": {"dash": DASHES[place], "width": 2},
        "marker": {"symbol": SYMBOLS[place], "size": 7},
        **({"hovertext": [label(text) for text in hover], "hoverinfo": "text"} if hover else {}),
        **more,
    }


def margins(widths: Sequence[float]) -> dict[str, Any]:
    """The error bars of values with intervals of these half widths."""
    return {"type": "data", "array": [*widths], "thickness": 1.5, "width": 4}


def level(value: float, number: str = "") -> dict[str, Any]:
    """A dashed line across the chart with axes of this number, at a value that others are compared with."""
    return {
        "type": "line",
        "name": "threshold",
        "xref": f"x{number} domain",
        "yref": f"y{number}",
        "x0": 0,
        "x1": 1,
        "y0": value,
        "y1": value,
        "line": {"width": 2, "dash": "dash"},
    }


def legend_above(height: int, lines: int, room: int) -> dict[str, Any]:
    """The layout of a chart of this height below a legend of so many lines, and some room more."""
    above = 30 * lines + room
    return {
        "height": height + above,
        "margin": MARGIN | {"t": above},
        "showlegend": True,
        "legend": {"orientation": "v", "x": 0, "xanchor": "left", "yref": "container", "y": 1, "yanchor": "top"},
        "hovermode": "closest",
    }


def share_axis() -> dict[str, Any]:
    """An axis of shares in percent."""
    return {
        "title": {"text": label(_("Estimated share of reports"))},
        "rangemode": "tozero",
        "ticksuffix": "\u00a0%",
    }


def short(text: str) -> str:
    """A text beside a row, on a narrow screen: the bars need the room, and the table has the whole of it."""
    return isolated(Truncator(text).chars(18))


def named(display: str, name: str) -> str:
    """An element with its name, on a wide screen."""
    return f"{Truncator(name).chars(32)}  {display}" if name else isolated(Truncator(display).chars(32))


def shaped(data: Any, layout: dict[str, Any]) -> dict[str, Any]:
    """A figure of traces and a layout as `figure_script` takes it, with our template and the reader's separators."""
    traces = data if isinstance(data, list) else [data]
    common = {
        "template": TEMPLATE,
        "separators": "".join(separators()),
    }
    # Put together here: `go.Figure` checks every value, which takes longer than all else about a page. Tests do that.
    return {
        "data": [trace if isinstance(trace, dict) else trace.to_plotly_json() for trace in traces],
        "layout": common | layout,
    }


@dataclass(frozen=True, kw_only=True)
class Result:
    """Common parts of all figures with their tables; without files and an address where they are embedded."""

    chart: Chart | None
    caption: str
    provenance: Facts
    # In one sentence; empty where there is nothing to find.
    finding: str = ""
    downloads: Sequence[Download] = ()
    # The whole address of exactly this.
    exactly: str = ""
    # How elements are written.
    element_lang: str = UNDIVIDED
    element_dir: str = "auto"
