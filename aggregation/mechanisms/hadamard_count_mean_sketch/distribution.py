"""The moments of read-outs given the hash functions."""

from ...arrays import Floats, Integers
from ...randomness import flip_threshold
from ..sketch_draws import hits
from .mechanism import HadamardCountMeanSketch

__all__ = ["hits", "moments"]


def moments(mechanism: HadamardCountMeanSketch, hit: Floats, counts: Integers) -> tuple[Floats, Floats]:
    """Return mean and variance of the read-outs S(d) of the chosen elements, given the hash functions.

    Parameters
    ----------
    hit : ndarray of float64, shape (T, D)
        From `hits`.
    counts : ndarray of int64, shape (D,)
        True counts of all elements.

    Returns
    -------
    tuple of two ndarrays of float64, shape (T,)
        S(d) is a sum of one independent sign for each report. Averaged over coordinates, it is hit/c with
        1/c = 1 - 2π, π being the flip probability: Σ f·hit/c and Σ f·(1 - (hit/c)²) over all elements.
    """
    mean = hit * (1 - 2 * flip_threshold(mechanism.epsilon) / 2**64)
    return mean @ counts, (1 - mean**2) @ counts
