"""Counts of all reports from read-outs of those that chance put into one stream."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import Array, Floats
from .estimators import Estimator, Members, Reports, SecondMoment
from .sampling import sampling_variance


@dataclass(frozen=True)
class Subsampled:
    """Estimator of counts of n reports from the n_w of them that are in a stream, drawn without looking at the element.

    Read-outs are of the stream's reports; counts, n, F2 and thresholds are of all reports.

    Parameters
    ----------
    own : Estimator
        That of the stream.
    share : Fraction
        n_w/n, above 0.
    """

    name: ClassVar[str] = "debiased"

    own: Estimator
    share: Fraction

    @classmethod
    def of(cls, own: Estimator, n: int, drawn: int) -> Self:
        """Return the estimator where ``drawn`` of n reports are in the stream; of none, as if it were one."""
        return cls(own, Fraction(max(drawn, 1), max(n, drawn, 1)))

    def estimate(self, read_out: Array, n: int, members: Members = 1) -> Floats:
        """Return (n/n_w)·f̂_w, unbiased over what the stream's estimator is, and over the draw."""
        return self.own.estimate(read_out, int(self._drawn(n)), members) / float(self.share)

    def variance(self, count: Floats, n: Reports, f2: SecondMoment, members: Members = 1) -> Floats:
        """Return (n/n_w)²·Var f̂_w + f(1 - f/n)(n - n_w)/n_w.

        The second term is that of drawing n_w of n without putting back, times (n - 1)/n. F2 of the stream is what it
        is on average: of F2 - n ordered pairs of reports about one element, n_w(n_w - 1)/(n(n - 1)) are in it.
        """
        share = float(self.share)
        own_f2 = share**2 * np.asarray(f2) + share * (1 - share) * np.asarray(n)
        own = self.own.variance(np.asarray(count) * share, self._drawn(n), own_f2, members)
        drawn: Floats = own / share**2 + sampling_variance(count, n) * (1 / share - 1)
        return drawn

    def threshold(self, n: int, alpha: float, f2: float, members: int = 1) -> float:
        """Return the stream's threshold, as a count of all: of an element without reports none are drawn."""
        share = float(self.share)
        return self.own.threshold(int(self._drawn(n)), alpha, share**2 * f2 + share * (1 - share) * n, members) / share

    def _drawn(self, n: Reports) -> Any:
        if isinstance(n, int):
            return round(n * self.share)
        return np.rint(n * float(self.share)).astype(np.int64)
