"""Contract of estimators: counts from exact read-outs, and how far these may be off."""

from typing import Any, ClassVar, Protocol, TypeAlias

from ..arrays import Array, Floats, Integers

# How many distinct elements are counted together: one number for all estimates, or one for each.
Members: TypeAlias = int | Integers
# Numbers of reports, and F2: of one histogram, or for each estimate of its own.
Reports: TypeAlias = int | Integers
SecondMoment: TypeAlias = float | Floats
# A number; of W histograms at once, an array of shape (W, 1).
OfEach: TypeAlias = Any


class Estimator(Protocol):
    """A way to turn the read-outs of one mechanism into counts of reports.

    It is a value with a name, so that what was computed with it can say so. Errors are over everything that is random:
    the devices' noise, what they draw beside it, and the choice of hash functions, if there are any.

    Examples
    --------
    >>> import numpy as np
    >>> cms = CountMeanSketch(epsilon=4, k=64, m=64, seed=7)
    >>> own: Estimator = cms.debiased
    >>> own.name
    'debiased'
    >>> own.estimate(np.array([119, 500]), n=1000).round()
    array([-16., 492.])
    >>> own.variance(np.array([0.0]), n=1000, f2=1000.0).round()
    array([203.])
    """

    name: ClassVar[str]

    def estimate(self, read_out: Array, n: int, members: Members = 1) -> Floats:
        """Return counts from read-outs of all reports, each the sum over so many distinct elements.

        Parameters
        ----------
        read_out : ndarray, shape (D,)
            Exact read-outs, as `Mechanism.read_out` returns them.
        n : int
            Number of reports.
        members : int or ndarray of int64, shape (D,)
            Elements in each sum.

        Returns
        -------
        ndarray of float64, shape (D,)
            In reports; may be negative.
        """

    def variance(self, count: Floats, n: Reports, f2: SecondMoment, members: Members = 1) -> Floats:
        """Return the variance of an estimate, in squared reports.

        Parameters
        ----------
        count : ndarray of float64, shape (D,)
            True counts.
        n, f2 : number or ndarray, shape (D,)
            Number of reports, and the sum of all squared counts.
        members : int or ndarray of int64, shape (D,)
            Elements in each sum.

        Returns
        -------
        ndarray of float64, shape (D,)
        """

    def threshold(self, n: int, alpha: float, f2: float, members: int = 1) -> float:
        """Return the smallest estimate that so many elements without reports reach together with this probability."""
