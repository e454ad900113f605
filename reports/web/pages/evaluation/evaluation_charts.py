"""Charts of an evaluation: inputs by rank, and what was measured by rank, one small chart below the other per input."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from aggregation.evaluation import Grid
from reports.formatting import rounded
from reports.web.pages.evaluation.evaluation_answer import epsilon_text, input_name
from reports.web.pages.evaluation.evaluation_cells import CellFacts
from reports.web.pages.figures import DASHES, MARGIN, MOST_SERIES, SYMBOLS, Chart, label, shaped
from reports.web.pages.provenance_facts import Facts

_HEIGHT = 250
_LEGEND = 96
# A chart of logarithms has no zero.
_SMALLEST_RANK = 0.01
_POINTS = 150


def charts(grid: Grid, cells: Sequence[CellFacts], *, provenance: Facts, address: str) -> list[tuple[str, Chart]]:
    """Charts of the cells of one ε, each with its heading."""
    names = list(dict.fromkeys(cell.distribution for cell in cells))
    series = list(dict.fromkeys(cell.name for cell in cells))[:MOST_SERIES]
    at = epsilon_text(cells[0].epsilon)

    def made(name: str, title: str, caption: str, figure: dict[str, Any]) -> tuple[str, Chart]:
        summary = _("Chart: %(title)s. %(caption)s The table “Rank by rank” has the numbers.") % {
            "title": title,
            "caption": caption,
        }
        return title, Chart(
            figure, summary, f"evaluation-{name}", title, caption, provenance=provenance, address=address
        )

    def measured(read: Callable[[Mapping[str, Any]], float | None], axis: str, **more: Any) -> dict[str, Any]:
        return _by_rank(cells, names, series, read, axis, **more)

    return [
        made(
            "ranks",
            _("Rank deviation ΔR, ε = %(epsilon)s") % {"epsilon": at},
            _("How many places a rank is off on average. Up to the line, at 1, ranks can be trusted."),
            measured(lambda row: max(row["delta_r"], _SMALLEST_RANK), "ΔR", log=True, line=1.0),
        ),
        made(
            "expectation",
            _("Expectation deviation ΔE, ε = %(epsilon)s") % {"epsilon": at},
            _("How far the mean of all repetitions is from the true count, as a part of it."),
            measured(lambda row: None if row["delta_e"] is None else 100 * row["delta_e"], "ΔE", suffix="\u00a0%"),
        ),
        made(
            "error",
            _("Error of a single count √D, ε = %(epsilon)s") % {"epsilon": at},
            _("In reports; dotted is what formulas expect."),
            measured(lambda row: math.sqrt(row["mse"]), "√D", expected=True),
        ),
        made(
            "inputs",
            _("The inputs: count by rank"),
            _("Both axes are logarithmic. Elements that never occur are not drawn."),
            _inputs(grid),
        ),
    ]


def _by_rank(
    cells: Sequence[CellFacts],
    names: Sequence[str],
    series: Sequence[str],
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
        for order, one in enumerate(series):
            if one in own:
                traces += _lines(own[one], order, number, read, expected=expected, first=place == 0, suffix=suffix)
        _add_axes(layout, number, place, len(names), axis, log=log, suffix=suffix)
        layout["annotations"].append(_heading(input_name(name), number))
        if line is not None:
            layout["shapes"].append(_level(line, number))
    height = _HEIGHT * len(names) + _LEGEND
    return shaped(
        traces,
        {**layout, "height": height, "margin": MARGIN | {"t": _LEGEND}, "showlegend": True, "hovermode": "closest"},
    )


def _lines(
    cell: CellFacts,
    order: int,
    number: str,
    read: Callable[[Mapping[str, Any]], float | None],
    *,
    expected: bool,
    first: bool,
    suffix: str,
) -> list[dict[str, Any]]:
    ranks = [row["rank"] for row in cell.cell["top"]]
    values = [read(row) for row in cell.cell["top"]]
    common = {
        "type": "scatter",
        "x": ranks,
        "xaxis": f"x{number}",
        "yaxis": f"y{number}",
        "meta": {"role": f"series-{order + 1}"},
        "legendgroup": cell.name,
    }
    hover = [
        label(f"{row['element']} · {cell.name} · {'–' if value is None else rounded(value, 2)}{suffix}")
        for row, value in zip(cell.cell["top"], values, strict=True)
    ]
    found = [
        {
            **common,
            "y": values,
            "mode": "lines+markers",
            "name": label(cell.name),
            "showlegend": first,
            "line": {"dash": DASHES[0], "width": 2},
            "marker": {"symbol": SYMBOLS[order], "size": 7},
            "hovertext": hover,
            "hoverinfo": "text",
        }
    ]
    if expected and cell.cell["expected_mse"][0] is not None:
        found.append(
            {
                **common,
                "y": [math.sqrt(value) for value in cell.cell["expected_mse"]],
                "mode": "lines",
                "showlegend": False,
                "line": {"dash": DASHES[2], "width": 2},
                "hoverinfo": "skip",
            }
        )
    return found


def _add_axes(
    layout: dict[str, Any], number: str, place: int, total: int, axis: str, *, log: bool, suffix: str
) -> None:
    gap = 0.12 if total > 1 else 0.0
    height = (1 - gap * (total - 1)) / total
    top = 1 - place * (height + gap)
    layout[f"xaxis{number}"] = {
        "anchor": f"y{number}",
        "rangemode": "tozero",
        **({"title": {"text": label(_("True rank"))}} if place == total - 1 else {}),
    }
    layout[f"yaxis{number}"] = {
        "anchor": f"x{number}",
        "domain": [max(0.0, top - height), top],
        "title": {"text": axis},
        "ticksuffix": suffix,
        **({"type": "log", "dtick": 1} if log else {"rangemode": "tozero"}),
    }


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


def _level(value: float, number: str) -> dict[str, Any]:
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


def _inputs(grid: Grid) -> dict[str, Any]:
    traces = []
    for order, truth in enumerate(grid.inputs[:MOST_SERIES]):
        counts = np.sort(truth.counts[truth.counts > 0])[::-1]
        ranks = np.unique(np.geomspace(1, len(counts), _POINTS).astype(np.int64))
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": label(input_name(truth.name)),
                "x": ranks.tolist(),
                "y": counts[ranks - 1].tolist(),
                "line": {"dash": DASHES[order], "width": 2},
                "meta": {"role": f"series-{order + 1}"},
            }
        )
    axis = {"type": "log", "dtick": 1}
    return shaped(
        traces,
        {
            "height": _HEIGHT + _LEGEND,
            "margin": MARGIN | {"t": _LEGEND},
            "showlegend": True,
            "xaxis": {**axis, "title": {"text": label(_("Rank"))}},
            "yaxis": {**axis, "title": {"text": label(_("Reports"))}},
        },
    )
