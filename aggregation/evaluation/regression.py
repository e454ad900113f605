"""The regression matrix: how often what is shown is wrong, by input, size, mechanism and ε, kept for each release."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ..arrays import Flags
from ..estimation import summarize
from ..parameters import json_epsilon
from ..registry import Mechanism
from .drawing import can_draw, draw, simulate
from .grid import Grid, read_grid, seed_of
from .true_counts import TrueCounts, names

# Expected number of false elements in a histogram, as histograms are published.
FALSE_ELEMENTS: Final = 0.05
CONFIDENCE: Final = 0.95
MEASURES: Final = ("false_elements", "missed", "total_variation", "coverage", "seconds")


def regression(
    matrix: Mapping[str, Any], seed: int, say: Callable[[str], object] = lambda _line: None
) -> list[dict[str, Any]]:
    """Measure all combinations of a matrix.

    Parameters
    ----------
    matrix : mapping
        A grid, but with ``sizes``, pairs of reports and elements, in the place of ``reports`` and ``elements``. As many
        elements again are in the dictionary and never reported.
    seed : int
        Of all randomness. Each repetition has hash functions of its own.
    say : callable
        Told each line when it is done.

    Returns
    -------
    list of dict
        One for each combination: what it is of, and mean and standard error over repetitions of ``false_elements``
        (shown, and never reported: a histogram's), ``missed`` (part of the reported elements that is not shown),
        ``total_variation`` (between what is shown and the truth), ``coverage`` (part of the truths in their intervals)
        and ``seconds``.
    """
    found = []
    given = {name: value for name, value in matrix.items() if name != "sizes"}
    for reports, elements in matrix["sizes"]:
        grid = read_grid({**given, "reports": reports, "elements": elements}, str)
        for line in _lines(grid, seed):
            say(f"{line['distribution']}, n = {line['n']:,}, {line['mechanism']}, epsilon = {line['epsilon']}")
            found.append(line)
    return found


def _lines(grid: Grid, seed: int) -> Iterator[dict[str, Any]]:
    for cell in grid.cells:
        truth, shape = _with_unreported(grid.inputs[cell.distribution]), grid.shapes[cell.shape]
        values: dict[str, list[float]] = {name: [] for name in MEASURES}
        for repetition in range(grid.repetitions):
            own = seed_of(seed, truth.digest, shape.key, str(cell.epsilon), repetition)
            mechanism = shape.mechanism(cell.epsilon, own.to_bytes(16, "big"), truth.elements)
            for name, value in zip(MEASURES, _measure(mechanism, truth, own), strict=True):
                values[name].append(value)
        yield {
            "distribution": truth.name,
            "n": truth.n,
            "N": len(truth.elements),
            "mechanism": shape.algorithm,
            "parameters": dict(shape.parameters),
            "epsilon": json_epsilon(cell.epsilon),
            **{name: _with_error(each) for name, each in values.items()},
        }


def _with_unreported(truth: TrueCounts) -> TrueCounts:
    size = len(truth.elements)
    return TrueCounts(truth.name, names(2 * size), np.concatenate([truth.counts, np.zeros(size, np.int64)]))


def _measure(mechanism: Mechanism, truth: TrueCounts, seed: int) -> tuple[float, ...]:
    began = time.thread_time()
    rng = np.random.Generator(np.random.SFC64(seed))
    points = mechanism.points(truth.elements)
    if can_draw(mechanism):
        read_out = draw(mechanism, points, truth.counts[None], [rng])[0]
    else:
        read_out = simulate(mechanism, truth.elements, points, truth.counts, rng)
    summary = summarize(mechanism.debiased, read_out, truth.n, FALSE_ELEMENTS, CONFIDENCE)
    occurs: Flags = truth.counts > 0
    shown = np.where(summary.above, summary.estimate, 0.0)
    covered = (summary.lower <= truth.counts) & (truth.counts <= summary.upper)
    return (
        float((summary.above & ~occurs).sum()),
        float((~summary.above & occurs).sum() / occurs.sum()),
        float(np.abs(shown - truth.counts).sum() / (2 * truth.n)),
        float(covered.mean()),
        time.thread_time() - began,
    )


def _with_error(values: Sequence[float]) -> dict[str, float]:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return {"value": float(np.mean(values)), "error": float(error)}
