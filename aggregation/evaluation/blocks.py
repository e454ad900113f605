"""The parts that an evaluation is done in: some repetitions of one shape at one ε, over all inputs."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np

from ..arrays import Array, Floats, Integers
from ..registry import Mechanism
from .drawing import can_draw, draw, simulate
from .estimators import ESTIMATORS, corrected
from .expected import averaged, conditional, hits
from .grid import Cell, Grid, Shape, seed_of
from .true_counts import TrueCounts, ranks

# Populations that are drawn together, at most, and all their reports.
_TOGETHER: Final = 50
_REPORTS_TOGETHER: Final = 4 * 10**7
# Reports of a block that are simulated one by one.
_REPORTS_ONE_BY_ONE: Final = 10**7


@dataclass(frozen=True)
class Block:
    """Repetitions `start` … `stop` - 1 of a shape at one ε."""

    shape: int
    epsilon: Decimal
    start: int
    stop: int


@dataclass(frozen=True)
class BlockResult:
    """Result of a block.

    Parameters
    ----------
    found : ndarray of float64, shape (cells, repetitions, 2, top)
        Estimates and estimated ranks of the true top, for `cells_of` the block; NaN where an input has fewer elements.
    expected : ndarray of float64, shape (cells, top), or None
        Expected squared errors, NaN where no formula gives them; from the first block of a cell.
    seconds : float
        Processor time of each cell: those of a block share it evenly.
    """

    found: Floats
    expected: Floats | None
    seconds: float


def is_drawn(shape: Shape, epsilon: Decimal, *, exact_reports: bool) -> bool:
    """Tell whether the read-outs of a shape are drawn at once, and not simulated report by report."""
    return not exact_reports and can_draw(shape.mechanism(epsilon, bytes(16)))


def blocks(grid: Grid, *, exact_reports: bool = False) -> Iterator[Block]:
    """Yield the blocks of a grid, cell after cell, the same on every machine."""
    reports = sum(each.n for each in grid.inputs)
    for place, shape in enumerate(grid.shapes):
        for epsilon in grid.epsilons:
            if is_drawn(shape, epsilon, exact_reports=exact_reports):
                step = max(1, min(_TOGETHER // len(grid.inputs), _REPORTS_TOGETHER // reports))
            else:
                step = max(1, _REPORTS_ONE_BY_ONE // reports)
            for start in range(0, grid.repetitions, step):
                yield Block(place, epsilon, start, min(start + step, grid.repetitions))


def cells_of(grid: Grid, block: Block) -> list[Cell]:
    """Return the cells that a block has repetitions of, in the order of the grid."""
    return [cell for cell in grid.cells if (cell.shape, cell.epsilon) == (block.shape, block.epsilon)]


def do_block(grid: Grid, block: Block, seed: int, *, exact_reports: bool = False) -> BlockResult:
    """Do a block; what it finds depends on the grid and the seed alone.

    Parameters
    ----------
    grid : Grid
    block : Block
        One of `blocks`; any other range of repetitions would do.
    seed : int
        Of the whole evaluation.
    exact_reports : bool
        Whether to simulate all reports one by one, with the shipped kernels.
    """
    began = time.thread_time()
    cells = cells_of(grid, block)
    found = np.full((len(cells), block.stop - block.start, 2, grid.top), np.nan)
    expected = np.full((len(cells), grid.top), np.nan) if block.start == 0 else None
    shape = grid.shapes[block.shape]
    drawn = is_drawn(shape, block.epsilon, exact_reports=exact_reports)
    repetitions = range(block.start, block.stop)
    fresh = grid.family == "fresh"
    for own in ([each] for each in repetitions) if fresh else [list(repetitions)]:
        family_seed = seed_of(seed, "family", own[0] if fresh else None)
        for places in _alike(grid.inputs):
            elements = grid.inputs[places[0]].elements
            mechanism = shape.mechanism(block.epsilon, family_seed.to_bytes(16, "big"), elements)
            points = mechanism.points(elements)
            for place, repetition, read_out in _read_outs(grid, block, mechanism, points, places, own, seed, drawn):
                for at, cell in enumerate(cells):
                    if cell.distribution == place:
                        _note(found[at, repetition - block.start], grid, cell, mechanism, points, read_out)
            if expected is not None and own[0] == 0:
                _expect(expected, grid, cells, mechanism, points, places)
    return BlockResult(found, expected, (time.thread_time() - began) / len(cells))


def _alike(inputs: Sequence[TrueCounts]) -> list[list[int]]:
    """Return the places of inputs in groups over the same elements, which are hashed together."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, each in enumerate(inputs):
        groups.setdefault(each.elements, []).append(place)
    return list(groups.values())


def _read_outs(
    grid: Grid,
    block: Block,
    mechanism: Mechanism,
    points: Array,
    places: list[int],
    repetitions: list[int],
    seed: int,
    drawn: bool,
) -> Iterator[tuple[int, int, Integers]]:
    """Yield the read-outs of inputs over the same elements: place of the input, repetition, shape (D,)."""
    shape = grid.shapes[block.shape]

    def generator(place: int, repetition: int) -> np.random.Generator:
        # Seeds depend on the input and the cell, not on their places: a larger grid repeats what a smaller one found.
        own = seed_of(seed, grid.inputs[place].digest, shape.key, str(block.epsilon), repetition)
        return np.random.Generator(np.random.SFC64(own))

    populations = [(place, repetition) for repetition in repetitions for place in places]
    step = _TOGETHER if drawn else 1
    for start in range(0, len(populations), step):
        some = populations[start : start + step]
        rngs = [generator(*each) for each in some]
        counts = np.stack([grid.inputs[place].counts for place, _ in some])
        if drawn:
            read_outs = draw(mechanism, points, counts, rngs)
        else:
            read_outs = simulate(mechanism, grid.inputs[places[0]].elements, points, counts[0], rngs[0])[None]
        for (place, repetition), read_out in zip(some, read_outs, strict=True):
            yield place, repetition, read_out


def _note(into: Floats, grid: Grid, cell: Cell, mechanism: Mechanism, points: Array, read_out: Integers) -> None:
    """Write down estimates and ranks of the true top, shape (2, top)."""
    truth = grid.inputs[cell.distribution]
    estimates = ESTIMATORS[cell.estimator](mechanism, points, read_out, truth.n)
    top = truth.top(grid.top)
    into[0, : len(top)] = estimates[top]
    into[1, : len(top)] = ranks(estimates)[top]


def _expect(
    into: Floats, grid: Grid, cells: list[Cell], mechanism: Mechanism, points: Array, places: list[int]
) -> None:
    """Write down the expected squared errors of the true top of these inputs, shape (cells, top)."""
    tops = {place: grid.inputs[place].top(grid.top) for place in places}
    chosen = np.unique(np.concatenate(list(tops.values())))
    hit = hits(mechanism, points, chosen) if grid.family == "fixed" else None
    for at, cell in enumerate(cells):
        if cell.distribution in tops:
            counts, top = grid.inputs[cell.distribution].counts, tops[cell.distribution]
            if cell.estimator == "corrected":
                into[at, : len(top)] = averaged(corrected(mechanism, len(counts)), counts, top)
            elif cell.estimator == "debiased" and hit is not None:
                into[at, : len(top)] = conditional(mechanism, hit[np.searchsorted(chosen, top)], counts, top)
            elif cell.estimator == "debiased":
                into[at, : len(top)] = averaged(mechanism.debiased, counts, top)
