"""The table of an evaluation: time and accuracy of each cell, sorted by what the reader cares for; and its files."""

import datetime
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from reports.formatting import data_size, duration, rounded, small_percent, whole
from reports.results import Table as FileTable
from reports.web.pages.evaluation.evaluation_answer import epsilon_text, input_name
from reports.web.pages.evaluation.evaluation_cells import CellFacts
from reports.web.pages.tables import Heading, Table

# More than these are in the files alone.
MOST_ROWS = 500
_ROW_FIELDS = ("rank", "element", "count", "delta_e", "delta_r", "mse", "variance")


def table(cells: Sequence[CellFacts], sort: str, *, with_epsilon: str = "") -> Table:
    links = {name: f"?sort={name}{with_epsilon}" for name in ("ranks", "cost", "error", "epsilon")}

    def heading(text: str, by: str, order: str, css: str = "number") -> Heading:
        return Heading(text, links[by], order if sort == by else "", css)

    headings = [
        Heading(_("Parameters")),
        Heading(_("Input")),
        heading("ε", "epsilon", "ascending"),
        heading(_("First ranks kept"), "ranks", "descending"),
        Heading(_("Mean ΔR"), css="number"),
        Heading(_("Mean ΔE"), css="number"),
        heading(_("√D, in reports"), "error", "ascending"),
        Heading(_("Expected √D"), css="number"),
        heading(_("Server time"), "cost", "ascending"),
        Heading(_("A report"), css="number"),
        Heading(_("Time of the evaluation"), css="number"),
    ]
    return Table(_("What each cell found, and what it would cost"), headings, [_row(cell) for cell in cells], "cells")


def _row(facts: CellFacts) -> list[str]:
    cell = facts.cell
    error = cell["mean_mse_error"]
    # Of a root: half the relative error.
    spread = "" if error is None else f" ± {rounded(error / (2 * facts.root_mse or 1), 1)}"
    expected = facts.expected_root_mse
    return [
        facts.name,
        input_name(facts.distribution),
        epsilon_text(facts.epsilon),
        _("%(kept)s of %(all)s") % {"kept": facts.kept, "all": facts.size},
        rounded(cell["mean_delta_r"], 2),
        "–" if cell["mean_delta_e"] is None else small_percent(cell["mean_delta_e"]),
        f"{rounded(facts.root_mse, 1)}{spread}",
        "–" if expected is None else rounded(expected, 1),
        _seconds(facts.server_seconds),
        data_size(facts.report_bytes),
        _seconds(cell["seconds"]),
    ]


@dataclass(frozen=True)
class RankRow:
    """What a cell found of an element, as it is written."""

    element: str
    parameters: str
    input: str
    numbers: list[tuple[str, str]]


def rank_headings() -> list[str]:
    return [_("Rank"), _("Count"), "ΔR", "ΔE", "√D", _("Expected √D")]


def rank_rows(cells: Sequence[CellFacts]) -> list[RankRow]:
    """All ranks of the cells of one ε; none where they are too many for a page."""
    if sum(cell.size for cell in cells) > MOST_ROWS:
        return []
    return [
        RankRow(row["element"], facts.name, input_name(facts.distribution), _numbers(row, expected))
        for facts in cells
        for row, expected in zip(facts.cell["top"], facts.cell["expected_mse"], strict=True)
    ]


def _numbers(row: Mapping[str, Any], expected: float | None) -> list[tuple[str, str]]:
    written = [
        whole(row["rank"]),
        whole(row["count"]),
        rounded(row["delta_r"], 2),
        "–" if row["delta_e"] is None else small_percent(row["delta_e"]),
        rounded(math.sqrt(row["mse"]), 1),
        "–" if expected is None else rounded(math.sqrt(expected), 1),
    ]
    return list(zip(rank_headings(), written, strict=True))


def _seconds(seconds: float) -> str:
    if seconds < 0.1:
        return _("less than %(duration)s") % {"duration": duration(datetime.timedelta(seconds=0.1))}
    return duration(datetime.timedelta(seconds=seconds))


def file_table(document: Mapping[str, Any]) -> FileTable:
    """A line for each rank of each cell, with what the cell and the evaluation have in common behind."""
    of_cell = ("mean_mse", "mean_mse_error", "expected_mean_mse", "mean_delta_e", "mean_delta_r", "seconds")
    inputs = {each["name"]: each for each in document["input"]["distributions"]}
    common = ("family", "R", "seed")
    about = {name: value for name, value in document.items() if name != "cells"}
    columns = [
        *("name", "n", "N", "hash", "mechanism", "parameters", "epsilon"),
        *(*_ROW_FIELDS, "expected_mse", *of_cell, *common),
        *document["provenance"],
    ]

    def lines() -> Iterator[list[Any]]:
        for cell in document["cells"]:
            truth = inputs[cell["input"]]
            first = [truth["name"], truth["n"], truth["N"], truth["hash"], cell["mechanism"]]
            first += [json.dumps(cell["parameters"]), cell["epsilon"]]
            last = [*(cell[name] for name in of_cell), *(document[name] for name in common)]
            for row, expected in zip(cell["top"], cell["expected_mse"], strict=True):
                own = [row[name] for name in _ROW_FIELDS]
                yield [*first, *own, expected, *last, *document["provenance"].values()]

    return FileTable(columns, lines(), about)
