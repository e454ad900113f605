"""Sketches in which words can be counted: drawn cell by cell, as so many reports would have filled them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.mechanisms import SequenceFragmentPuzzle
from benchmarks.pages.sizes import REPORTS_PER_DAY

# Rarer words are far below every threshold.
USED = 600


def day_of_sketches(
    mechanism: SequenceFragmentPuzzle, words: NDArray[np.bytes_], rng: np.random.Generator
) -> NDArray[Any]:
    """What is stored of a day of one locale; of fragments nothing, because no page reads them."""
    sketch = mechanism.words
    shares = 1 / np.arange(1, USED + 1)
    used = rng.choice(USED, REPORTS_PER_DAY, p=shares / shares.sum())
    rows = np.sort(rng.integers(sketch.k, size=REPORTS_PER_DAY))
    points = sketch.family.points([word.decode() for word in words[:USED].tolist()])
    buckets = sketch.family.buckets_of_pairs(points, used, rows, sketch.m)
    true = np.bincount(rows * sketch.m + buckets, minlength=sketch.k * sketch.m)
    reports = np.repeat(np.bincount(rows, minlength=sketch.k), sketch.m)
    flipped = 1 / (np.exp(float(sketch.epsilon) / 2) + 1)
    ones = rng.binomial(true, 1 - flipped) + rng.binomial(reports - true, flipped)
    positions = len(mechanism.positions)
    fragments = positions * mechanism.fragments.k * mechanism.fragments.m
    cells = np.zeros(len(ones) + fragments, np.min_scalar_type(int(ones.max())))
    cells[: len(ones)] = ones
    stored = np.zeros(1, [("reports", "<i8", (positions,)), ("cells", cells.dtype, cells.shape)])
    stored["reports"], stored["cells"] = REPORTS_PER_DAY // positions, cells
    return stored
