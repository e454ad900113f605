"""Sizes of sketches in which collisions disturb estimates hardly more than the noise does."""

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from ..errors import ParameterError
from ..estimation import MOST_LOOK_UPS
from ..parameters import MAX_CELLS, MAX_M
from ..registry import Wanted, mechanism_for

# Sketches outside of these have collisions that bunch, or cost more than they bring.
FEWEST_ROWS: Final = 64
MOST_ROWS: Final = 2**16
FEWEST_BUCKETS: Final = 32
# A larger ε suggests more buckets, but vectors should stay as short as reports of a few hundred bytes.
MOST_BUCKETS: Final = 1024
# Where a report is one bit, buckets cost a device nothing, and the server reads every element in every row.
ENOUGH_ROWS: Final = 1024
# Any hash functions: what is planned does not depend on them.
_SEED: Final = "0" * 32


def suggest_shape(
    algorithm: str,
    epsilon: float,
    wanted: Wanted,
    *,
    vectors: bool,
    most_cells: int = MAX_CELLS,
    most_rows: int = MOST_ROWS,
) -> tuple[int, int]:
    """Return k and m of a sketch: those that are wanted, or what `suggest_num_hashes` and `suggest_num_buckets` say.

    Where as many rows as there should be are too few, rows get more buckets, which do the same.

    Parameters
    ----------
    algorithm, epsilon
        As for `suggest_num_buckets`.
    wanted : Wanted
        What is collected.
    vectors : bool
        Whether a report has a bit for each bucket, so that buckets are to be few.
    most_cells, most_rows : int
        What k·m and k may be.
    """
    n, squares, m = wanted.n, wanted.sum_of_squares, wanted.m
    if m is None:
        most, rows = (MOST_BUCKETS, most_rows - 1) if vectors else (MAX_M, ENOUGH_ROWS)
        m = min(suggest_num_buckets(algorithm, epsilon), most)
        while m < most and fewer_rows(wanted, suggest_num_hashes(algorithm, epsilon, m, n, squares), m) > rows:
            m *= 2
    if wanted.k is not None:
        return wanted.k, m
    if m < 8 or m & (m - 1):
        return 1, m
    rows = fewer_rows(wanted, suggest_num_hashes(algorithm, epsilon, m, n, squares), m)
    return min(rows, most_cells // m, most_rows), m


def fewer_rows(wanted: Wanted, k: int, m: int, excess: float = 0.05) -> int:
    """Return how many rows are enough where k are without correction.

    The correction magnifies the noise by 1/(1 - D/(k(m-1))): to (1 + excess)² at most, with a power of two of rows.
    """
    if not wanted.complete:
        return k
    needed = wanted.size / ((m - 1) * (1 - (1 + excess) ** -2))
    rows = FEWEST_ROWS
    while rows < needed:
        rows *= 2
    return min(rows, k) if rows * wanted.size <= MOST_LOOK_UPS else k


def suggest_num_buckets(algorithm: str, epsilon: float, excess: float = 0.05) -> int:
    """Return how many buckets a row needs for collisions to add hardly anything to the noise.

    Parameters
    ----------
    algorithm : str
        One that has k and m for parameters. Of a Sequence Fragment Puzzle, either sketch is a Count Mean Sketch with an
        ε of its own.
    epsilon : float
        Privacy loss of one report.
    excess : float
        By what part the standard error of a rare element may be larger than with as many buckets as there can be, in a
        sketch of many rows.

    Returns
    -------
    int
        m, the smallest power of two from 32 on: √((m/(m-1))²·v + 1/(m-1)) ≤ (1 + excess)·√v, with v the noise of one
        report, such as e^(ε/2)/(e^(ε/2) - 1)² of a Count Mean Sketch. The more ε, the less noise, the more buckets.

    Raises
    ------
    ParameterError
        For an unknown algorithm, a bad ε, or an excess that is not above 0.
    """
    _check_excess(excess)
    least = _noise(algorithm, epsilon, MAX_M)
    m = FEWEST_BUCKETS
    while m < MAX_M and _noise(algorithm, epsilon, m) > (1 + excess) ** 2 * least:
        m *= 2
    return m


def suggest_num_hashes(
    algorithm: str, epsilon: float, m: int, n: int, sum_of_squares: float, excess: float = 0.05
) -> int:
    """Return how many hash functions are needed for frequent elements to disturb the others hardly at all.

    Parameters
    ----------
    algorithm, epsilon
        As for `suggest_num_buckets`.
    m : int
        Buckets of a row.
    n : int
        Number of reports.
    sum_of_squares : float
        Σp² of the shares of all elements: F2/n².
    excess : float
        By what part the standard error of a rare element may be larger than without such collisions.

    Returns
    -------
    int
        k, a power of two from 64 to 65,536 and at most 2²⁸/m: F2/(k(m-1)) ≤ ((1 + excess)² - 1)·V, with V the variance
        without it. It grows with n, because reports of an element collide together: noise falls with the number of
        reports, and what a fixed family of hash functions adds does not.

    Raises
    ------
    ParameterError
        For an unknown algorithm, a bad ε or m, or an excess that is not above 0.
    """
    _check_excess(excess)
    return min(enough_rows(_noise(algorithm, epsilon, m), m, n, sum_of_squares, excess), MAX_CELLS // m)


def enough_rows(noise: float, m: int, n: int, sum_of_squares: float, excess: float = 0.05) -> int:
    """Return the k of `suggest_num_hashes` for a variance of so much a report, from 64 to 65,536, whatever m."""
    needed = n * sum_of_squares / ((m - 1) * noise * ((1 + excess) ** 2 - 1))
    k = FEWEST_ROWS
    while k < min(needed, MOST_ROWS):
        k *= 2
    return k


def _noise(algorithm: str, epsilon: float, m: int) -> float:
    """Return the variance that a report adds to the estimate of a rare element, in a sketch of many rows."""
    parameters: Mapping[str, object] = {"epsilon": epsilon, "k": MAX_CELLS // MAX_M, "m": m, "seed": _SEED}
    # A million reports, of which each is about another element.
    n = 10**6
    return float(mechanism_for(algorithm, parameters).debiased.variance(np.zeros(1), n, float(n))[0]) / n


def _check_excess(excess: float) -> None:
    if not 0 < excess < math.inf:
        raise ParameterError("excess", f"excess must be above 0, not {excess!r}.")
