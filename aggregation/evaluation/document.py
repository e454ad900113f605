"""An evaluation as one JSON document."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays import Floats
from ..parameters import json_epsilon
from .blocks import Block, BlockResult, cells_of
from .deviations import Deviations, chance, deviations
from .grid import DEFAULT_ESTIMATOR, Cell, Grid
from .true_counts import INVENTED, TrueCounts


def evaluation_document(grid: Grid, seed: int, done: Mapping[Block, BlockResult]) -> dict[str, Any]:
    """Return the document of an evaluation: cells whose repetitions are all done.

    Parameters
    ----------
    grid : Grid
    seed : int
    done : mapping of Block to BlockResult
        In any order; blocks that are missing leave their cells out.

    Returns
    -------
    dict
        ``input`` (``name``, ``n``, ``N``, ``hash``, and each of the ``distributions`` with its own; the hash of
        several is that of theirs, one a line), ``family``, ``R``, ``seed``, and ``cells``; squared errors are in
        squared reports, and of unknown values the document has null. Lists of a cell beside its ``top`` have a value
        for each rank, or for the first 1, 2, … ranks; ``chances`` are of all that were asked for.
    """
    return {
        "input": _input(grid),
        "family": grid.family,
        "R": grid.repetitions,
        "seed": seed,
        "cells": [_cell(grid, cell, found) for cell in grid.cells if (found := _gather(grid, cell, done)) is not None],
    }


def _distribution(grid: Grid, truth: TrueCounts) -> str:
    """Return what an input is called in cells: observed lists by their name only where there are several."""
    if truth.name in INVENTED:
        return truth.name
    several = sum(each.name not in INVENTED for each in grid.inputs) > 1
    return f"observed: {truth.name}" if several else "observed"


def _input(grid: Grid) -> dict[str, Any]:
    each = [
        {
            "name": own.name,
            "distribution": _distribution(grid, own),
            "n": own.n,
            "N": len(own.elements),
            "hash": f"sha256:{own.digest}",
        }
        for own in grid.inputs
    ]
    if len(each) == 1:
        return {**each[0], "distributions": each}
    alike = {name: each[0][name] if len({own[name] for own in each}) == 1 else None for name in ("n", "N")}
    hashes = "".join(f"{own['hash']}\n" for own in each)
    alike["hash"] = f"sha256:{hashlib.sha256(hashes.encode()).hexdigest()}"
    return {"name": ", ".join(own.name for own in grid.inputs), **alike, "distributions": each}


def _gather(grid: Grid, cell: Cell, done: Mapping[Block, BlockResult]) -> tuple[Floats, Floats, float] | None:
    """Return all repetitions of a cell in their order, its expected errors, and its seconds."""
    own = sorted(
        (block for block in done if (block.shape, block.epsilon) == (cell.shape, cell.epsilon)),
        key=lambda block: block.start,
    )
    if sum(block.stop - block.start for block in own) != grid.repetitions:
        return None
    place = cells_of(grid, own[0]).index(cell)
    expected = done[own[0]].expected
    if expected is None:
        raise LookupError("The first block of a cell has no expected errors.")
    found = np.concatenate([done[block].found[place] for block in own])
    return found, expected[place], sum(done[block].seconds for block in own)


def _cell(grid: Grid, cell: Cell, gathered: tuple[Floats, Floats, float]) -> dict[str, Any]:
    found, expected, seconds = gathered
    truth, shape = grid.inputs[cell.distribution], grid.shapes[cell.shape]
    measured = deviations(truth, found)
    size = len(measured.mse)
    named = {} if cell.estimator == DEFAULT_ESTIMATOR else {"estimator": cell.estimator}
    return {
        "distribution": _distribution(grid, truth),
        "input": truth.name,
        "mechanism": shape.algorithm,
        "parameters": {**shape.parameters, **named},
        "epsilon": json_epsilon(cell.epsilon),
        "top": _top(grid, cell, measured),
        "mean_mse": measured.mean_mse,
        "mean_mse_error": _known(measured.mean_mse_error),
        "expected_mean_mse": _known(float(expected[:size].mean())),
        "expected_mse": [_known(value) for value in expected[:size].tolist()],
        "chances": {
            name: chance(int(times[-1]), len(found))
            for name, times in (
                ("first_in_order", measured.first_in_order),
                ("first_in_any_order", measured.first_in_any_order),
            )
        },
        "first_in_order": measured.first_in_order.tolist(),
        "first_in_any_order": measured.first_in_any_order.tolist(),
        "delta_r_error": [_known(value) for value in measured.delta_r_error.tolist()],
        "mean_delta_e": measured.mean_delta_e,
        "mean_delta_r": measured.mean_delta_r,
        "mean_delta_r_error": _known(measured.mean_delta_r_error),
        "first_rank_over_line": measured.first_rank_over_line,
        "seconds": seconds,
    }


def _top(grid: Grid, cell: Cell, measured: Deviations) -> list[dict[str, Any]]:
    truth = grid.inputs[cell.distribution]
    columns: Sequence[Floats] = (
        measured.delta_e, measured.delta_r, measured.mse, measured.variance
    )  # fmt: skip
    return [
        {
            "rank": rank,
            "element": truth.elements[place],
            "count": int(truth.counts[place]),
            **{
                name: _known(float(column[rank - 1]))
                for name, column in zip(("delta_e", "delta_r", "mse", "variance"), columns, strict=True)
            },
        }
        for rank, place in enumerate(truth.top(grid.top).tolist(), start=1)
    ]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
