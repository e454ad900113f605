"""What all charts have in common: a Plotly template, safe labels, and what is written in a picture of one.

Colours are not here: a trace says by `meta.role` what it is, a shape or an annotation by `name`, and `chart.js` takes
their colours from the style sheet, where light and dark are at home.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.formats import get_format
from django.utils.translation import gettext as _

FONT = '"Noto Sans", system-ui, sans-serif'
MARGIN = {"l": 8, "r": 16, "t": 28, "b": 44}
# As many series as have a colour. They differ by dash and symbol, too: nobody must need the colours.
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
class Picture:
    """What stands in a picture of a chart, so that it can be read where the page is not: texts, not markup."""

    title: str
    caption: str
    # Names and values, as the page lists them.
    provenance: list[tuple[str, str]]
    # Where the page is, with what is shown said in full.
    address: str
    # Of the file, without its ending.
    name: str
    # What the numbers in the chart are about, a line each.
    notes: Sequence[str] = ()

    @property
    def legend(self) -> str:
        """The notes as one text, a line each."""
        return "\n".join(self.notes)

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


def shaped(data: Any, layout: dict[str, Any]) -> dict[str, Any]:
    """A figure of traces and a layout as `figure_script` takes it, with our template and the reader's separators."""
    traces = data if isinstance(data, list) else [data]
    common = {
        "template": TEMPLATE,
        "separators": get_format("DECIMAL_SEPARATOR") + get_format("THOUSAND_SEPARATOR"),
    }
    # Put together here: `go.Figure` checks every value, which takes longer than all else about a page. Tests do that.
    return {
        "data": [trace if isinstance(trace, dict) else trace.to_plotly_json() for trace in traces],
        "layout": common | layout,
    }
