"""What every locale's devices would have reported: exact integers of days, and what may be shown of their sums."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.estimation import adjusted_level, intervals
from aggregation.mechanisms import Mechanism
from benchmarks.pages.sizes import DICTIONARY, REPORTS_PER_DAY, Size

# Without files nothing is asked below the first few hundred, the most that a year shows.
COLUMNS = 600
# Files of a month, which every month has again.
MONTH = 28
ALPHA = 0.05


@dataclass(frozen=True)
class Block:
    """Histograms of one locale: what is above the threshold in each of W windows, in rows of (window, element)."""

    n: NDArray[np.int64]
    threshold: NDArray[np.float64]
    f2: NDArray[np.float64]
    # Elements above it in each window.
    shown: NDArray[np.int64]
    # In the order of windows, and there of estimates: which element, and its numbers.
    window: NDArray[np.int64]
    rank: NDArray[np.int64]
    element: NDArray[np.int64]
    columns: dict[str, NDArray[np.float64]]

    def since(self, first: int) -> "Block":
        """Without the rows of windows before one."""
        kept = self.window >= first
        columns = {name: column[kept] for name, column in self.columns.items()}
        window, rank, element = self.window[kept], self.rank[kept], self.element[kept]
        return replace(self, columns=columns, window=window, rank=rank, element=element)


class Fleet:
    """Draws days for one mechanism; all fleets of a mechanism have the same number of reports."""

    def __init__(self, mechanism: Mechanism, size: Size, *, window: int = 1) -> None:
        """`window`: of how many days each histogram of a day is."""
        self._mechanism = mechanism
        self._days = size.days
        self._windows = size.windows if window == 1 else []
        self._per_day = window
        shares = 1 / np.arange(1, DICTIONARY + 1)
        self._shares = shares / shares.sum()
        # The estimate is a straight line in the integer: `_offset` of 0, and so much for each 1.
        first, second = mechanism.debiased.estimate(np.array([0, 1]), REPORTS_PER_DAY * window)
        self._offset, self._slope = float(first), float(second - first)

    def days(self, rng: np.random.Generator, *, with_files: bool) -> NDArray[np.int64]:
        """Exact integers of every day and element, of shape (days, elements)."""
        columns, days = (DICTIONARY, min(MONTH, self._days)) if with_files else (COLUMNS, self._days)
        n = REPORTS_PER_DAY * self._per_day
        weekly = 1 + 0.3 * np.sin(2 * np.pi * (np.arange(days)[:, None] / 7 + rng.random(columns)))
        own = rng.lognormal(sigma=0.2, size=columns)
        counts = n * self._shares[:columns] * own * weekly
        deviation = np.sqrt(self._mechanism.debiased.variance(counts[0], n, self._f2(n)))
        noisy = counts + rng.normal(size=(days, columns)) * deviation
        integers = np.rint((noisy - self._offset) / self._slope).astype(np.int64)
        return np.tile(integers, (-(-self._days // days), 1))[: self._days]

    def _f2(self, n: int) -> float:
        return float(np.square(n * self._shares).sum())

    def block(self, integers: NDArray[np.int64]) -> Block:
        """The histograms of every day, and then of the longer windows."""
        n, f2, thresholds, estimates, errors = [], [], [], [], []
        for length, group in self._sums(integers):
            of_group = length * REPORTS_PER_DAY
            estimate = np.array([self._mechanism.debiased.estimate(row, of_group) for row in group])
            threshold = self._mechanism.debiased.threshold(of_group, ALPHA / DICTIONARY, self._f2(of_group))
            estimates.append(estimate)
            n += [of_group] * len(group)
            f2 += [self._f2(of_group)] * len(group)
            thresholds += [threshold] * len(group)
            errors.append(
                np.sqrt(self._mechanism.debiased.variance(estimate.mean(axis=0), of_group, self._f2(of_group)))
            )
        return _block(np.array(n), np.array(f2), np.array(thresholds), estimates, errors)

    def _sums(self, integers: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Those of windows that have as many days, with that number."""
        yield self._per_day, integers
        for days, group in groupby(self._windows, key=lambda window: window.days):
            yield days, np.array([integers[first : first + days].sum(axis=0) for first, _days in group])


def _block(
    n: NDArray[np.int64],
    f2: NDArray[np.float64],
    threshold: NDArray[np.float64],
    estimates: list[NDArray[np.float64]],
    errors: list[NDArray[np.float64]],
) -> Block:
    estimate = np.concatenate(estimates)
    error = np.concatenate([np.broadcast_to(each, group.shape) for group, each in zip(estimates, errors, strict=True)])
    window, element = np.nonzero(estimate >= threshold[:, None])
    order = np.lexsort((-estimate[window, element], window))
    window, element = window[order], element[order]
    shown = np.bincount(window, minlength=len(n))
    rank = np.arange(1, len(window) + 1) - np.repeat(np.cumsum(shown) - shown, shown)
    level = adjusted_level(0.95, round(shown.mean()), DICTIONARY)
    value, deviation = estimate[window, element], error[window, element]
    lower, upper = intervals(value, deviation, 0.95)
    adjusted_lower, adjusted_upper = intervals(value, deviation, level)
    columns: dict[str, NDArray[Any]] = {
        "estimate": value,
        "standard_error": deviation,
        "lower": lower,
        "upper": upper,
        "adjusted_lower": adjusted_lower,
        "adjusted_upper": adjusted_upper,
        # As if it had been made so.
        "consistent": value,
    }
    return Block(n, threshold, f2, shown, window, rank, element, columns)
