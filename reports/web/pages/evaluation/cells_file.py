"""The table of all that an evaluation tried as a file: a line for each set of parameters and kind of counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from reports.evaluation.cell_facts import CellFacts
from reports.results import Table
from reports.web.pages.exports import rows_table

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


def cells_table(document: Mapping[str, Any]) -> Table:
    """Return the cells of such a document as lines, with what they have in common behind."""
    common = {**{name: document[name] for name in ("family", "R", "seed")}, **document["provenance"]}
    return rows_table(document, "cells", list(document["cells"][0]) if document["cells"] else [], common)
