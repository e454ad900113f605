"""What an evaluation answers, in sentences: which parameters to take, and what the paper's own choice would give."""

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

import aggregation.evaluation
from reports.formatting import data_size, plain, small_percent, whole
from reports.web.pages.evaluation.evaluation_cells import CellFacts

INPUTS = {
    "harmonic": gettext_lazy("harmonic input"),
    "exponential": gettext_lazy("exponential input"),
    "even": gettext_lazy("even input"),
    "published": gettext_lazy("published shape"),
    "list": gettext_lazy("list of your own"),
}


def input_name(name: str) -> str:
    return str(INPUTS.get(name, name))


def epsilon_text(epsilon: float) -> str:
    return plain(Decimal(f"{epsilon:g}"))


def answer(cells: Sequence[CellFacts], n: int) -> list[str]:
    """Answer for the cells of one ε, input by input; nothing of none."""
    return list(_answer(cells, n)) if cells else []


def _answer(cells: Sequence[CellFacts], n: int) -> Iterator[str]:
    names = list(dict.fromkeys(cell.distribution for cell in cells))
    for name in names:
        own = [cell for cell in cells if cell.distribution == name]
        yield _cheapest(own, name)
    choice = _paper()
    of_paper = [
        cell
        for cell in cells
        if cell.cell["mechanism"] == choice["algorithm"] and cell.cell["parameters"] == choice["parameters"]
    ]
    for cell in of_paper:
        yield _of_paper(cell)


def _cheapest(cells: Sequence[CellFacts], name: str) -> str:
    """The cheapest that keeps all ranks that were read; or, if none does, the one that keeps most."""
    size = cells[0].size
    keeping = [cell for cell in cells if cell.kept == size]
    facts: dict[str, Any] = {"input": input_name(name), "epsilon": epsilon_text(cells[0].epsilon), "ranks": size}
    if keeping:
        best = min(keeping, key=lambda cell: cell.cost)
        words = _(
            "At ε = %(epsilon)s, %(input)s: take %(cell)s. It is the cheapest whose first %(ranks)s ranks can be"
            " trusted (each is off by one place at most, on average); a report takes %(bytes)s."
        )
        return words % (facts | {"cell": best.name, "bytes": data_size(best.report_bytes)})
    best = min(cells, key=lambda cell: (-cell.kept, cell.cost))
    if not best.kept:
        return (
            _(
                "At ε = %(epsilon)s, %(input)s: no rank can be trusted with any of these parameters. Take a larger ε,"
                " or count more reports together."
            )
            % facts
        )
    words = ngettext(
        "At ε = %(epsilon)s, %(input)s: none keeps the first %(ranks)s ranks. Most are kept by %(cell)s: the first"
        " %(kept)s can be trusted.",
        "At ε = %(epsilon)s, %(input)s: none keeps the first %(ranks)s ranks. Most are kept by %(cell)s: the first"
        " %(kept)s can be trusted.",
        best.kept,
    )
    return words % (facts | {"cell": best.name, "kept": best.kept})


def _of_paper(cell: CellFacts) -> str:
    delta_e = cell.cell["mean_delta_e"]
    facts = {
        "parameters": cell.parameters,
        "input": input_name(cell.distribution),
        "kept": cell.kept,
        "ranks": cell.size,
        "error": whole(cell.root_mse),
        "deviation": "–" if delta_e is None else small_percent(delta_e),
    }
    words = _(
        "The paper’s own choice, %(parameters)s, keeps the first %(kept)s of %(ranks)s ranks here (%(input)s); counts"
        " are off by %(error)s reports in a single histogram, and by %(deviation)s on average over many."
    )
    return words % facts


@cache
def _paper() -> dict[str, Any]:
    path = Path(aggregation.evaluation.__file__).with_name("paper_choice.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
