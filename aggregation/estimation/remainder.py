"""Reports about all elements but the largest: what the sum of those that are shown leaves."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ..arrays import Array, Floats
from ..errors import ParameterError
from .estimators import Estimator


@dataclass(frozen=True)
class Remainder:
    """Reports about all other elements, with their interval, in counts of reports."""

    estimate: float
    lower: float
    upper: float


def remainder(
    estimator: Estimator, shown: Floats, n: int, f2: float, cut: float, confidence: float = 0.95
) -> Remainder:
    """Return what the largest estimates leave of n reports.

    Parameters
    ----------
    estimator : Estimator
        The estimator of all estimates, with one hash family.
    shown : ndarray of float64, shape (S,)
        Estimated counts of the elements that are shown: all that reach ``cut``.
    n : int
        Number of reports.
    f2 : float
        F2 over all elements, in squared reports.
    cut : float
        What an estimate had to reach to be shown: the threshold, or the largest estimate that is not shown.
    confidence : float
        Of the interval, which allows for noise and for the choice of the largest.

    Returns
    -------
    Remainder
        ``estimate`` is n less the sum of ``shown``, so that all adds up; the interval reaches further up than down.

    Raises
    ------
    ParameterError
        If an estimate is below the cut, or the confidence is not between 0 and 1.

    Notes
    -----
    The elements shown are a group, whose variance has the covariances of its members. That they were chosen for being
    large makes their sum too large. By Stein's identity, for normal errors of standard deviation σ, the mean of what
    they have too much is σ² times the density of estimates at the cut. That is estimated from those up to σ above it,
    with weights 4 - 6u at the distance uσ, which are unbiased for a density that is linear there (a local linear
    estimate at a boundary). The variance of this estimate is that of a Poisson process, σ²·Σ(4 - 6u)².

    References
    ----------
    C. Stein, "Estimation of the Mean of a Multivariate Normal Distribution" (1981); M. Wand, M. Jones, *Kernel
    Smoothing* (1995), 5.5, on boundaries.
    """
    if not 0 < confidence < 1:
        raise ParameterError("confidence", f"confidence must be above 0 and below 1, not {confidence!r}.")
    if (shown < cut).any():
        raise ParameterError("shown", "Only estimates that reach the cut are shown.")
    rest = n - float(shown.sum())
    if not len(shown):
        return Remainder(rest, rest, rest)
    group = np.array([shown.sum()])
    variance = float(estimator.variance(group, n, f2, len(shown))[0])
    error = np.sqrt(estimator.variance(np.array([cut]), n, f2))
    too_much, of_choice = _chosen_for_being_large((shown - cut) / error, float(error[0]))
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return Remainder(rest, rest - z * variance**0.5, rest + too_much + z * (variance + of_choice) ** 0.5)


def _chosen_for_being_large(distance: Array, error: float) -> tuple[float, float]:
    """Return what a sum has too much, and the variance of this estimate, given how far above the cut its parts are."""
    weights = 4 - 6 * distance[distance <= 1]
    return max(error * float(weights.sum()), 0.0), error**2 * float((weights**2).sum())
