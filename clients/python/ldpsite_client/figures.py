"""Common parts of all charts: colours of the site's light theme, labels, axes, and where the numbers come from."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

BAR, INK, QUIET, LINE, THRESHOLD = "#3f9bae", "#1a1f24", "#57616b", "#dde1e5", "#a8480c"
# Apart for all kinds of colour blindness; dashes and symbols differ, too.
SERIES: Final = ("#347fef", "#fb230e", "#076442", "#cf6ab1", "#589e31", "#63366d")
BANDS: Final = tuple(f"rgba({int(c[1:3], 16)},{int(c[3:5], 16)},{int(c[5:], 16)},0.18)" for c in SERIES)
SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "x", "star")
_FONT: Final = '"Noto Sans", system-ui, sans-serif'
_ROW, _TOP, _BOTTOM = 30, 92, 92
_LONGEST: Final = 40
# The longest line at the foot.
_LETTERS: Final = 110


def drawn(traces: Sequence[dict[str, Any]], title: str, about: str, source: str, layout: Mapping[str, Any]) -> "Figure":
    """Return a figure with its title, a line of what it is about, and at its foot the page that shows the same.

    Raises `ModuleNotFoundError` where plotly is not installed.
    """
    try:
        import plotly.graph_objects
    except ModuleNotFoundError as error:
        if error.name != "plotly":
            raise
        raise ModuleNotFoundError("Charts need plotly: pip install 'ldpsite-client[plot]'", name="plotly") from error
    axis = {
        "gridcolor": LINE,
        "linecolor": LINE,
        "zerolinecolor": LINE,
        "automargin": True,
        "title": {"standoff": 8, "font": {"size": 13}},
    }
    common = {
        "title": {
            "text": text(title),
            "subtitle": {"text": text(about), "font": {"size": 13, "color": QUIET}},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "pad": {"l": 16, "t": 14},
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            "font": {"size": 19},
        },
        "font": {"family": _FONT, "size": 13, "color": INK},
        "paper_bgcolor": "#ffffff",
        "plot_bgcolor": "#ffffff",
        "margin": {"l": 16, "r": 24, "t": _TOP, "b": _BOTTOM},
        "showlegend": False,
        "hoverlabel": {"align": "left", "bgcolor": "#ffffff", "bordercolor": LINE, "font": {"color": INK}},
        "template": {"layout": {"xaxis": axis, "yaxis": axis}},
        **layout,
    }
    address = unquote(source)
    lines = [text(address[start : start + _LETTERS]) for start in range(0, len(address), _LETTERS)]
    # At the right, where no labels of rows move it.
    origin = {
        "text": "<br>".join(lines),
        "x": 1,
        "xref": "paper",
        "xanchor": "right",
        "y": 0,
        "yref": "paper",
        "yanchor": "top",
        "align": "right",
        "yshift": 40 - _BOTTOM,
        "showarrow": False,
        "font": {"size": 11, "color": QUIET},
    }
    common["annotations"] = [*layout.get("annotations", ()), origin]
    return plotly.graph_objects.Figure({"data": [*traces], "layout": common})


def text(words: str) -> str:
    """Return words as plotly draws them: it reads labels as markup, and elements may be chosen by strangers."""
    return escape(words, quote=False)


def called(row: Mapping[str, Any], longest: int = _LONGEST) -> str:
    """Return the label of an element: its name, where it has one, and how it is written."""
    display, name = (_short(row[field], longest) for field in ("display", "name"))
    return text(f"{name}  {display}" if name and name != display else display)


def _short(words: str, longest: int) -> str:
    return words if len(words) <= longest else words[: longest - 1] + "…"


def days(document: Mapping[str, Any]) -> str:
    """Return a window: its first and last day, or the one that it has."""
    first, last = document["first_day"], document["last_day"]
    return str(first) if first == last else f"{first} to {last}"


def percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def interval(row: Mapping[str, Any], side: str = "") -> str:
    """Return a share with its adjusted interval, or the most that it can be; `side` stands before its fields."""
    share, lower, upper, at_most = (
        row.get(f"{side}{field}") for field in ("share", "share_lower", "share_upper", "share_at_most")
    )
    if share is not None and lower is not None and upper is not None:
        return f"{percent(share)} ({percent(lower)} to {percent(upper)})"
    return "–" if at_most is None else f"below the threshold, at most {percent(at_most)}"


def errors(values: Sequence[float], lower: Sequence[float], upper: Sequence[float], colour: str) -> dict[str, Any]:
    """Return error bars from one end to the other."""
    return {
        "type": "data",
        "array": [end - value for value, end in zip(values, upper, strict=True)],
        "arrayminus": [value - end for value, end in zip(values, lower, strict=True)],
        "thickness": 1.5,
        "width": 4,
        "color": colour,
    }


def ends(rows: Sequence[Mapping[str, Any]], side: str = "") -> tuple[list[float], list[float], list[float]]:
    """Return shares and both ends of their intervals, in percent; `side` stands before their fields."""
    share, lower, upper = (
        [100 * (row[f"{side}{field}"] or 0.0) for row in rows] for field in ("share", "share_lower", "share_upper")
    )
    return share, lower, upper


def bars(
    places: Sequence[int], ends: tuple[list[float], list[float], list[float]], colour: str, words: Sequence[str]
) -> dict[str, Any]:
    """Return bars of rows, each with its interval, and with words that are shown over it."""
    return {
        "type": "bar",
        "orientation": "h",
        "x": ends[0],
        "y": [*places],
        "width": 0.66,
        "marker": {"color": colour},
        "error_x": errors(*ends, INK),
        "hovertext": [*words],
        "hoverinfo": "text",
    }


def rows_axis(labels: Sequence[str]) -> dict[str, Any]:
    """Return an axis with rows from top to bottom; linear, because a word such as 2024 would make it one of dates."""
    return {
        "range": [len(labels) - 0.5, -0.5],
        "tickvals": [*range(len(labels))],
        "ticktext": [*labels],
        "showgrid": False,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 6,
        "tickcolor": "rgba(0,0,0,0)",
        "automargin": True,
    }


def shares_axis() -> dict[str, Any]:
    title = {"text": "Estimated share of reports"}
    return {"title": title, "rangemode": "tozero", "ticksuffix": " %", "zeroline": False}


def height_of(rows: int) -> int:
    return _ROW * max(rows, 1) + _TOP + _BOTTOM
