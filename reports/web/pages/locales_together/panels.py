"""Small multiples: a panel for each locale with its top elements, all on one scale; as a figure for pictures, too."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import percent, whole
from reports.models import Version
from reports.results import colourful, element_name, unpadded
from reports.results.locales_together import Cell, LocalesView, OfElement, Standing
from reports.web.pages.addresses import element_address
from reports.web.pages.compare import comparison_numbers
from reports.web.pages.figures import intervals, label, shaped, short
from reports.web.pages.locales import locale_name, writing

# Panels of a picture beside each other.
_COLUMNS = 3
_ROW_HEIGHT, _TITLE_HEIGHT, _GAP = 26, 60, 0.04


@dataclass(frozen=True)
class Bar:
    """A row of a panel; lengths are parts of a hundred of the largest end of an interval of all panels."""

    display: str
    name: str
    link: str
    value: str
    interval: str
    length: float
    lower: float
    upper: float
    standing: Standing
    sign: str
    words: str


@dataclass(frozen=True)
class Panel:
    """A locale with its top elements; `histogram` leads to all of it."""

    name: str
    lang: str
    dir: str
    n: str
    histogram: str
    bars: list[Bar]


SIGNS = {Standing.MORE: "▲", Standing.LESS: "▼", Standing.NOT_CLEAR: ""}


def standing_words(standing: Standing) -> str:
    if standing == Standing.MORE:
        return _("more than in the others")
    return _("less than in the others") if standing == Standing.LESS else ""


def top_of(view: LocalesView, locale: str) -> list[tuple[OfElement, Cell]]:
    """The top elements of a locale, the largest first."""
    in_top = (each for each in view.elements if each.is_in_top(locale, view.top))
    found = [(each, cell) for each in in_top for cell in each.cells if cell.locale == locale]
    return sorted(found, key=lambda pair: pair[1].rank or 0)


def panels(view: LocalesView, version: Version, digits: int, histograms: dict[str, str]) -> list[Panel]:
    tops = {newest.locale: top_of(view, newest.locale) for newest in view.shown}
    widest = max((cell.share.upper or 0.0 for top in tops.values() for _each, cell in top), default=1.0) or 1.0
    found = []
    for newest in view.shown:
        lang, direction = writing(newest.locale, neutral=version.normalization == "domain")
        bars = [_bar(view, version, each, cell, digits, widest) for each, cell in tops[newest.locale]]
        n = newest.listed.histogram.n if newest.listed is not None else 0
        words = ngettext("%(n)s report", "%(n)s reports", n) % {"n": whole(n)}
        found.append(Panel(locale_name(newest.locale), lang, direction, words, histograms[newest.locale], bars))
    return found


def _bar(view: LocalesView, version: Version, each: OfElement, cell: Cell, digits: int, widest: float) -> Bar:
    share = cell.share
    lower, value, upper = (
        100 * min(max(end or 0.0, 0.0) / widest, 1.0) for end in (share.lower, share.value, share.upper)
    )
    element = unpadded(version, each.element)
    return Bar(
        display=colourful(each.entry.display),
        name=element_name(version, each.entry.display),
        link=element_address(view.use_case.slug, element, view.query.version),
        value=percent(share.value or 0.0, digits),
        interval=comparison_numbers.interval(share, digits),
        length=round(value, 2),
        lower=round(lower, 2),
        upper=round(upper, 2),
        standing=cell.standing,
        sign=SIGNS[cell.standing],
        words=standing_words(cell.standing),
    )


# --- For pictures ---


def figure(view: LocalesView) -> dict[str, Any]:
    """The panels as one figure: each has a part of the width and of the height."""
    shown = view.shown
    columns = min(_COLUMNS, len(shown))
    lines = -(-len(shown) // columns)
    tops = [top_of(view, newest.locale) for newest in shown]
    most = max((len(top) for top in tops), default=1)
    widest = max((cell.share.upper or 0.0 for top in tops for _each, cell in top), default=1.0)
    height = lines * (most * _ROW_HEIGHT + _TITLE_HEIGHT) + 50
    share_of_title = _TITLE_HEIGHT / (most * _ROW_HEIGHT + _TITLE_HEIGHT)
    layout: dict[str, Any] = {"height": height, "annotations": [], "margin": {"l": 8, "r": 16, "t": 8, "b": 44}}
    traces = []
    for place, (newest, top) in enumerate(zip(shown, tops, strict=True)):
        number = "" if place == 0 else str(place + 1)
        column, line = place % columns, place // columns
        left, right = (column + 0.25) / columns, (column + 1) / columns - _GAP
        upper, lower = 1 - (line + share_of_title) / lines, 1 - (line + 1) / lines
        traces.append(_panel(top, number))
        layout[f"xaxis{number}"] = {
            "domain": [left, right],
            "anchor": f"y{number}",
            "range": [0, 105 * widest],
            "ticksuffix": "\u00a0%",
        }
        layout[f"yaxis{number}"] = _rows(top, most, [max(lower, 0.0), upper], f"x{number}")
        layout["annotations"].append(
            {
                "text": f"<b>{label(locale_name(newest.locale))}</b>",
                "x": column / columns,
                "y": upper,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 14},
                "name": "title",
            }
        )
    return shaped(traces, layout)


def _panel(top: Sequence[tuple[OfElement, Cell]], number: str) -> Any:
    values, lower, upper = (
        [100 * (getattr(cell.share, part) or 0.0) for _each, cell in top] for part in ("value", "lower", "upper")
    )
    return go.Bar(
        orientation="h",
        x=values,
        y=list(range(len(top))),
        width=0.66,
        error_x=intervals(values, lower, upper),
        xaxis=f"x{number}",
        yaxis=f"y{number}",
        meta={"role": "bar"},
    )


def _rows(top: Sequence[tuple[OfElement, Cell]], most: int, domain: list[float], anchor: str) -> dict[str, Any]:
    texts = [f"{short(colourful(each.entry.display))} {SIGNS[cell.standing]}".strip() for each, cell in top]
    return {
        "domain": domain,
        "anchor": anchor,
        "type": "linear",
        "range": [most - 0.5, -0.5],
        "tickvals": list(range(len(top))),
        "ticktext": [label(text) for text in texts],
        "showgrid": False,
        "automargin": False,
    }


def summary(view: LocalesView) -> str:
    """One sentence for those who do not see the figure."""
    words = ngettext(
        "Bar charts of the top %(top)s elements of %(count)s locale with 95 %% intervals.",
        "Bar charts of the top %(top)s elements of %(count)s locales with 95 %% intervals.",
        len(view.shown),
    )
    return words % {"top": view.top, "count": len(view.shown)}
