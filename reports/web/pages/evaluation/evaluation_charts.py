"""Charts of an evaluation: inputs by rank, and what was measured by rank, one small chart below the other per input."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from aggregation.evaluation import Grid
from reports.evaluation.answers import counts_name, epsilon_text
from reports.evaluation.cell_facts import CellFacts, ordered
from reports.formatting import rounded
from reports.web.pages.figures import DASHES, MOST_SERIES, Chart, label, legend_above, level, series, shaped
from reports.web.pages.provenance_facts import Facts

_HEIGHT = 250
# Above the charts: the heading of the first.
_ABOVE = 28
# A chart of logarithms has no zero: what is less is drawn here.
_SMALLEST = 0.01
_DECADES = range(-2, 6)
_MOST_TICKS = 8
_POINTS = 150


def charts(grid: Grid, cells: Sequence[CellFacts], *, provenance: Facts, address: str) -> list[tuple[str, Chart]]:
    """Charts of the cells of one ε, each with its heading."""
    names = list(dict.fromkeys(cell.distribution for cell in cells))
    drawn = set(list(dict.fromkeys(cell.name for cell in ordered(cells, "ranks")))[:MOST_SERIES])
    shown = [name for name in dict.fromkeys(cell.name for cell in cells) if name in drawn]
    some = "" if len(shown) == len({cell.name for cell in cells}) else _some(len(shown))
    at = epsilon_text(cells[0].epsilon)

    def made(name: str, title: str, caption: str, figure: dict[str, Any]) -> tuple[str, Chart]:
        words = _("Chart: %(title)s. %(caption)s The table “Place by place” has the numbers.")
        summary, name = words % {"title": title, "caption": caption}, f"evaluation-{name}"
        return title, Chart(figure, summary, name, title, caption, provenance=provenance, address=address)

    def measured(read: Callable[[Mapping[str, Any]], float | None], axis: str, **more: Any) -> dict[str, Any]:
        return _by_rank(cells, names, shown, read, axis, **more)

    return [
        made(
            "ranks",
            _("Places off, on average (ΔR), at ε = %(epsilon)s") % {"epsilon": at},
            _("By how many places an element is off. Below the line at 1, neighbours may still change places.") + some,
            measured(lambda row: row["delta_r"], _("Places off (ΔR)"), log=True, line=1.0),
        ),
        made(
            "expectation",
            _("Counts off on average over many histograms (ΔE), at ε = %(epsilon)s") % {"epsilon": at},
            _("How far the mean of all repetitions is from the true count, as a part of it.") + some,
            measured(
                lambda row: None if row["delta_e"] is None else 100 * row["delta_e"],
                _("Off on average (ΔE)"),
                suffix="\u00a0%",
            ),
        ),
        made(
            "error",
            _("A count off in a single histogram (√D), at ε = %(epsilon)s") % {"epsilon": at},
            _("In reports; dotted is what formulas expect.") + some,
            measured(lambda row: math.sqrt(row["mse"]), _("Reports (√D)"), expected=True),
        ),
        made(
            "inputs",
            _("What is counted: true counts by place"),
            _("Both axes are logarithmic. Elements that never occur are not drawn."),
            _inputs(grid),
        ),
    ]


def _some(number: int) -> str:
    words = _("Drawn are the %(number)s sets of parameters with which most places hold.")
    return f" {words % {'number': number}}"


def _by_rank(
    cells: Sequence[CellFacts],
    names: Sequence[str],
    shown: Sequence[str],
    read: Callable[[Mapping[str, Any]], float | None],
    axis: str,
    *,
    log: bool = False,
    line: float | None = None,
    expected: bool = False,
    suffix: str = "",
) -> dict[str, Any]:
    """A small chart below the other for each input, a colour for each cell."""
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {"shapes": [], "annotations": []}
    for place, name in enumerate(names):
        number = "" if place == 0 else str(place + 1)
        own = {cell.name: cell for cell in cells if cell.distribution == name}
        for order, one in enumerate(shown):
            if one in own:
                least = _SMALLEST if log else None
                one_mechanism = len({cell.cell["mechanism"] for cell in cells}) == 1
                text = own[one].parameters if one_mechanism else one
                traces += _lines(
                    own[one], text, order, number, read, expected=expected, first=place == 0, suffix=suffix, least=least
                )
        ranks = max(len(cell.cell["top"]) for cell in own.values())
        _add_axes(layout, number, place, len(names), axis, ranks, log=log, suffix=suffix)
        layout["annotations"].append(_heading(counts_name(name), number))
        if line is not None:
            layout["shapes"].append(level(line, number))
    return shaped(traces, {**layout, **legend_above(_HEIGHT * len(names), len(shown), _ABOVE)})


def _lines(
    cell: CellFacts,
    text: str,
    order: int,
    number: str,
    read: Callable[[Mapping[str, Any]], float | None],
    *,
    expected: bool,
    first: bool,
    suffix: str,
    least: float | None,
) -> list[dict[str, Any]]:
    ranks = [row["rank"] for row in cell.cell["top"]]
    values = [read(row) for row in cell.cell["top"]]
    axes = {"xaxis": f"x{number}", "yaxis": f"y{number}", "legendgroup": cell.name}
    found = [
        series(
            order,
            text,
            ranks,
            [value if value is None or least is None else max(value, least) for value in values],
            [
                f"{row['element']} · {text} · {'–' if value is None else rounded(value, 2)}{suffix}"
                for row, value in zip(cell.cell["top"], values, strict=True)
            ],
            showlegend=first,
            line={"dash": DASHES[0], "width": 2},
            **axes,
        )
    ]
    if expected and cell.cell["expected_mse"][0] is not None:
        roots = [math.sqrt(value) for value in cell.cell["expected_mse"]]
        line = {"dash": DASHES[2], "width": 2}
        found.append(
            series(order, text, ranks, roots, mode="lines", showlegend=False, line=line, hoverinfo="skip", **axes)
        )
    return found


def _add_axes(
    layout: dict[str, Any], number: str, place: int, total: int, axis: str, ranks: int, *, log: bool, suffix: str
) -> None:
    gap = 0.12 if total > 1 else 0.0
    height = (1 - gap * (total - 1)) / total
    top = 1 - place * (height + gap)
    layout[f"xaxis{number}"] = {
        "anchor": f"y{number}",
        "range": [0.5, ranks + 0.5],
        "tickvals": _places(ranks),
        **({"title": {"text": label(_("True place"))}} if place == total - 1 else {}),
    }
    layout[f"yaxis{number}"] = {
        "anchor": f"x{number}",
        "domain": [max(0.0, top - height), top],
        "title": {"text": axis},
        "ticksuffix": suffix,
        **(_decades() if log else {"rangemode": "tozero"}),
    }


def _places(ranks: int) -> list[int]:
    """Return the places that are written at an axis: the first, then round ones."""
    step = next(
        step for power in count() for step in (10**power, 2 * 10**power, 5 * 10**power) if ranks <= step * _MOST_TICKS
    )
    return [1, *range(max(step, 2), ranks + 1, step)]


def _decades() -> dict[str, Any]:
    """A logarithmic axis, whose lowest place is of all that is smaller, too."""
    values = [10.0**power for power in _DECADES]
    texts = [rounded(value, max(0, -power)) for value, power in zip(values, _DECADES, strict=True)]
    return {"type": "log", "tickvals": values, "ticktext": [f"≤\u00a0{texts[0]}", *texts[1:]]}


def _heading(text: str, number: str) -> dict[str, Any]:
    return {
        "text": label(text),
        "xref": f"x{number} domain",
        "yref": f"y{number} domain",
        "x": 1,
        "y": 1,
        "xanchor": "right",
        "yanchor": "bottom",
        "showarrow": False,
    }


def _inputs(grid: Grid) -> dict[str, Any]:
    traces = []
    for order, truth in enumerate(grid.inputs[:MOST_SERIES]):
        counts = np.sort(truth.counts[truth.counts > 0])[::-1]
        ranks = np.unique(np.geomspace(1, len(counts), _POINTS).astype(np.int64))
        x, y = ranks.tolist(), counts[ranks - 1].tolist()
        traces.append(series(order, counts_name(truth.name), x, y, mode="lines"))
    axis = {"type": "log", "dtick": 1}
    return shaped(
        traces,
        {
            **legend_above(_HEIGHT, len(traces), _ABOVE),
            "xaxis": {**axis, "title": {"text": label(_("True place"))}},
            "yaxis": {**axis, "title": {"text": label(_("Reports"))}},
        },
    )
