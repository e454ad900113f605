"""The table of an evaluation: time and accuracy of each cell, sorted by what the reader cares for; and its files."""

import datetime
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from reports.evaluation.answers import chance_text, counts_name, epsilon_text
from reports.evaluation.cell_facts import CellFacts
from reports.formatting import data_size, duration, rounded, small_percent, whole
from reports.results import Table as FileTable
from reports.web.pages.exports import rows_table
from reports.web.pages.tables import Heading, Table, number

# More than these are in the files alone.
MOST_ROWS = 500
_ROW_FIELDS = ("rank", "element", "count", "delta_e", "delta_r", "mse", "variance")
_RANK_FIELDS = ("expected_mse", "delta_r_error", "first_in_order", "first_in_any_order")


def table(cells: Sequence[CellFacts], sort: str, links: Mapping[str, str]) -> Table:
    """Results of each set of parameters, on all kinds of counts; `links` sort them."""
    first = {"first": whole(max(cell.size for cell in cells))} if cells else {"first": ""}

    def heading(text: str, by: str, order: str) -> Heading:
        return Heading(text, links[by], order if sort == by else "", "number")

    headings = [
        Heading(_("Parameters")),
        Heading(_("What is counted")),
        heading("ε", "epsilon", "ascending"),
        heading(_("First %(first)s exactly in order") % first, "in-order", "descending"),
        heading(_("Right %(first)s, in any order") % first, "any-order", "descending"),
        heading(_("First places that hold"), "ranks", "descending"),
        heading(_("A count is off, in reports (√D)"), "error", "ascending"),
        number(_("Expected by formula")),
        number(_("Off on average over many (ΔE)")),
        heading(_("A report, as sent"), "cost", "ascending"),
        number(_("Server time of a day")),
    ]
    caption = _("All that was tried: what it shows, and what it would cost")
    return Table(caption, headings, [_row(cell) for cell in cells], "cells")


def _row(facts: CellFacts) -> list[str]:
    error, expected = facts.root_mse_error, facts.expected_root_mse
    return [
        facts.name,
        counts_name(facts.distribution),
        epsilon_text(facts.epsilon),
        *(chance_text(facts, name) for name in ("first_in_order", "first_in_any_order")),
        _("%(kept)s of %(all)s") % {"kept": facts.held, "all": facts.size},
        rounded(facts.root_mse, 1) + ("" if error is None else f" ± {rounded(error, 1)}"),
        "–" if expected is None else rounded(expected, 1),
        "–" if facts.delta_e is None else small_percent(facts.delta_e),
        data_size(facts.report_bytes),
        _seconds(facts.server_seconds),
    ]


def rank_headings() -> list[str]:
    return [
        _("Place"),
        _("True count"),
        _("Places off (ΔR)"),
        _("Off on average over many (ΔE)"),
        _("A count is off, in reports (√D)"),
        _("Expected by formula"),
    ]


def rank_rows(cells: Sequence[CellFacts]) -> list[tuple[str, list[tuple[str, str]], str, str]]:
    """All ranks of the cells of one ε, as they are written: an element, its numbers, its input and the parameters.

    None where they are too many for a page.
    """
    if sum(len(cell.cell["top"]) for cell in cells) > MOST_ROWS:
        return []
    return [
        (row["element"], _numbers(row, expected), counts_name(facts.distribution), facts.name)
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
        *(*_ROW_FIELDS, *_RANK_FIELDS, *of_cell, *common),
        *document["provenance"],
    ]

    def lines() -> Iterator[list[Any]]:
        for cell in document["cells"]:
            truth = inputs[cell["input"]]
            first = [truth["name"], truth["n"], truth["N"], truth["hash"], cell["mechanism"]]
            first += [json.dumps(cell["parameters"]), cell["epsilon"]]
            last = [*(cell[name] for name in of_cell), *(document[name] for name in common)]
            for place, row in enumerate(cell["top"]):
                own = [*(row[name] for name in _ROW_FIELDS), *(cell[name][place] for name in _RANK_FIELDS)]
                yield [*first, *own, *last, *document["provenance"].values()]

    return FileTable(columns, lines(), about)


_CHANCES = ("first_in_order", "first_in_any_order")


def cells_document(document: Mapping[str, Any], cells: Sequence[CellFacts]) -> dict[str, Any]:
    """The document of an evaluation with what its table has of each cell, in the table's order."""
    inputs = {each["name"]: each for each in document["input"]["distributions"]}
    return {**document, "cells": [_cell(facts, inputs[facts.distribution]) for facts in cells]}


def _cell(facts: CellFacts, truth: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of the first places that matter; chances are parts of all repetitions, with their 95 % intervals."""
    chances = {
        name if part == "share" else f"{name}_{part}": value
        for name in _CHANCES
        for part, value in facts.chance(name).items()
    }
    return {
        **{name: truth[name] for name in ("name", "n", "N", "hash")},
        **{name: facts.cell[name] for name in ("mechanism", "parameters", "epsilon")},
        "first": facts.size,
        **chances,
        "first_places_that_hold": facts.held,
        "root_mse": facts.root_mse,
        "root_mse_error": facts.root_mse_error,
        "expected_root_mse": facts.expected_root_mse,
        "delta_e": facts.delta_e,
        "report_bytes": facts.report_bytes,
        "server_seconds": facts.server_seconds,
        "seconds": facts.cell["seconds"],
    }


def cells_table(document: Mapping[str, Any]) -> FileTable:
    """Return the cells of such a document as lines, with what they have in common behind."""
    common = {**{name: document[name] for name in ("family", "R", "seed")}, **document["provenance"]}
    return rows_table(document, "cells", list(document["cells"][0]) if document["cells"] else [], common)
