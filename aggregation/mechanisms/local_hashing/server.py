"""The server's half: reports counted per cell and read out, and counts made of them."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...arrays import Array, Floats, Integers
from ...errors import ParameterError
from ...estimation import (
    Members,
    Reports,
    SecondMoment,
    collision_variance,
    null_collisions,
    shared_buckets,
    widened_quantile,
)
from ...parameters import MAX_CELLS
from ...registry import State
from ...sketches import add_buckets, check_range, read_buckets
from ..one_sketch import STREAM, SketchEstimator
from .encoding import Encoding


class Server(Encoding):
    """Counts reports of cells, of sorted records without holding a sketch, or in a sketch that is kept."""

    @cached_property
    def debiased(self) -> "Debiased":
        return Debiased(self.epsilon, self.k, self.g)

    @property
    def keys_per_division(self) -> int:
        return self.g

    def read_out(self, shards: Sequence[Array], points: Array, start: int, stop: int, stream: str = STREAM) -> Integers:
        """Return the exact support counts of elements, as `read_buckets`."""
        self.check_stream(stream)
        check_range(start, stop, self.k)
        return read_buckets(shards, self.family, points, self.g, start, stop)

    def empty_state(self) -> State:
        """Return a table of zeros; raises a ParameterError if it has more cells than a sketch may have in memory."""
        if self.k * self.g > MAX_CELLS:
            raise ParameterError(
                "k",
                f"A sketch that is kept in memory has k·g of at most {MAX_CELLS}: with g={self.g}, k may be at"
                f" most {MAX_CELLS // self.g}, not {self.k}.",
            )
        return super().empty_state()

    def add_to_state(self, state: State, streams: Mapping[str, Array]) -> None:
        for stream, records in streams.items():
            add_buckets(state[stream], records)


class Debiased(SketchEstimator):
    """Counts without bias from support counts; the estimator's m is g."""

    name: ClassVar[str] = "debiased"

    @property
    def support(self) -> tuple[float, float]:
        """Return p = e^ε/(e^ε + g - 1), to send the own bucket, and q = (1 - p)/(g - 1), to send a given other."""
        small = math.exp(-float(self.epsilon))
        p = 1 / (1 + (self.m - 1) * small)
        return p, p * small

    def estimate(self, read_out: Array, n: int, members: Members = 1) -> Floats:
        """Turn read-outs over all rows into counts.

        Parameters
        ----------
        read_out : ndarray of int, shape (D,)
            S(d), the reports in the cells of element d over all rows; or sums of it over groups of elements.
        n : int
            Number of reports.
        members : int or ndarray of int64, shape (D,)
            How many distinct elements each sum is over.

        Returns
        -------
        ndarray of float64, shape (D,)
            (S - members·n/g)/(p - 1/g), unbiased over the choice of the hash functions, and below zero at times.

        References
        ----------
        Wang, Blocki, Li, Jha, "Locally Differentially Private Protocols for Frequency Estimation" (2017), section 4.3;
        with k public hash functions in place of one for each device.
        """
        return (np.asarray(read_out, np.int64) - members * (n / self.m)) * self._reports_per_support

    def variance(self, count: Floats, n: Reports, f2: SecondMoment, members: Members = 1) -> Floats:
        """Return the variance of estimates over noise, rows and the choice of the hash functions.

        Parameters
        ----------
        count : ndarray of float64, shape (D,)
            True counts F, or estimates in their place, which are clipped to 0 … n.
        n : int or ndarray of int64, shape (D,)
            Number of reports.
        f2 : float or ndarray of float64, shape (D,)
            F2, the sum of the squares of all true counts.
        members : int or ndarray of int64, shape (D,)
            How many distinct elements each count is the sum of: M.

        Returns
        -------
        ndarray of float64, shape (D,)
            For M = 1, in squared reports,
            [n(1/g)(1-1/g) + f(p(1-p) - (1/g)(1-1/g))]/(p-1/g)² + (F2 - f² - (n-f))/(k(g-1)).

        Notes
        -----
        A report about an element with N members in its bucket adds N on average p of the time, and of every other
        bucket the members q of the time. Given the hash functions, that has a mean of qM + (p-q)N and a mean square of
        q·ΣN² + (p-q)N². The noise is their difference, averaged over N; `collision_variance` has what the means vary.
        """
        g, (p, q) = self.m, self.support
        f, share = np.clip(count, 0, n), p - q
        # Means of N and N² for a report about a member, and about another element.
        own, other = 1 + (members - 1) / g, members / g
        own_squares = own**2 + (members - 1) * (1 - 1 / g) / g
        other_squares = other**2 + members * (1 - 1 / g) / g

        def noise(mean: Any, square: Any) -> Any:
            all_buckets = q * (members + shared_buckets(members, g))
            return all_buckets + share * (1 - share) * square - 2 * q * share * members * mean - (q * members) ** 2

        of_reports: Floats = f * noise(own, own_squares) + (n - f) * noise(other, other_squares)
        return of_reports * self._reports_per_support**2 + collision_variance(f, n, f2, self.k, g, members)

    def threshold(self, n: int, alpha: float, f2: float, members: int = 1) -> float:
        """Return the smallest estimate that is rare for elements without reports.

        Parameters
        ----------
        n : int
            Number of reports.
        alpha : float
            How rare: the probability to reach it.
        f2 : float
            F2, the sum of the squares of all true counts.
        members : int
            How many elements are counted together: M.

        Returns
        -------
        float
            The estimate of an integer read-out s: the exact quantile of S ~ Binomial(n·M, 1/g), moved out for reports
            of one element that collide together.

        Notes
        -----
        The bucket of a report is uniform, so that it has Binomial(M, 1/g) members whatever was noised. Buckets that
        members share add nothing more to the variance of S: with the buckets of the members given, reports of
        different elements are independent, with means that do not depend on them. Two reports of one element in one row
        have a covariance, in all `null_collisions`, and E[(N-M/g)²(N'-M/g)] of them adds 3(1-2/g) times that to the
        third cumulant of S.
        """
        g = self.m
        variance, third_cumulant = null_collisions(n, f2, self.k, g, members)
        variance = variance / self._reports_per_support**2
        third_cumulant = third_cumulant / self._reports_per_support**3 + 3 * (1 - 2 / g) * variance
        s = widened_quantile(n * members, 1 / g, alpha, variance, third_cumulant)
        return float(self.estimate(np.array([s]), n, members)[0])

    @property
    def _reports_per_support(self) -> float:
        """Return 1/(p - 1/g), what one more in a read-out adds to an estimate: g/((p - q)(g - 1))."""
        p, q = self.support
        return self.m / ((p - q) * (self.m - 1))
