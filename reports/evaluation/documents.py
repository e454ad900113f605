"""Documents of an evaluation's findings, from its parts or as they were kept."""

import base64
import uuid
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.evaluation import Block, BlockResult, Grid, blocks, evaluation_document, read_grid
from reports.models import Evaluation

# The order of printed keys. The database keeps keys in an order of its own.
_ORDER = ("input", "family", "R", "seed", "cells")


def grid_of(evaluation: Evaluation) -> Grid:
    return _grid(str(evaluation.pk))


# All parts of an evaluation need the same, which never changes.
@lru_cache(maxsize=4)
def _grid(pk: str) -> Grid:
    evaluation = Evaluation.objects.only("grid", "lists").get(pk=pk)
    return read_grid(evaluation.grid, evaluation.lists.__getitem__)


def blocks_of(evaluation: Evaluation) -> list[Block]:
    """Return the blocks of an evaluation, in the order of their numbers."""
    return list(blocks(grid_of(evaluation), exact_reports=evaluation.exact_reports))


def document_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the document of an evaluation, with the cells that are done so far, of those that pages can read."""
    if evaluation.document is not None:
        # The first evaluations were kept without chances.
        cells = [cell for cell in evaluation.document["cells"] if "chances" in cell]
        return {**{name: evaluation.document[name] for name in _ORDER}, "cells": cells}
    done = evaluation.parts.exclude(finished_at=None).order_by("number").values_list("number", flat=True)
    return _so_far(evaluation.pk, tuple(done))


# Open pages ask every few seconds, and mostly nothing has been done since.
@lru_cache(maxsize=4)
def _so_far(pk: uuid.UUID, numbers: tuple[int, ...]) -> dict[str, Any]:
    evaluation = Evaluation.objects.get(pk=pk)
    every = blocks_of(evaluation)
    # If it is finished meanwhile, its parts hold nothing any more.
    done = evaluation.parts.filter(number__in=numbers, evaluation__document__isnull=True).values_list("number", "facts")
    found = {every[number]: unpack(facts) for number, facts in done}
    return evaluation_document(grid_of(evaluation), evaluation.seed, found)


def pack(result: BlockResult) -> dict[str, Any]:
    """Return a result as a row keeps it: numbers to the last bit."""
    expected = None if result.expected is None else _text(result.expected)
    return {"found": _text(result.found), "expected": expected, "seconds": result.seconds}


def unpack(facts: dict[str, Any]) -> BlockResult:
    expected = None if facts["expected"] is None else _array(facts["expected"])
    return BlockResult(_array(facts["found"]), expected, facts["seconds"])


def _text(array: NDArray[np.float64]) -> dict[str, Any]:
    return {"shape": array.shape, "numbers": base64.b64encode(array.astype("<f8").tobytes()).decode()}


def _array(text: dict[str, Any]) -> NDArray[np.float64]:
    return np.frombuffer(base64.b64decode(text["numbers"]), "<f8").reshape(text["shape"])
