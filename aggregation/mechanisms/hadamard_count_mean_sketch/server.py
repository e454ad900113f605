"""The server's half: signs summed up per cell, transformed and read out, and counts made of them."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from ...arrays import Array, Floats, Integers
from ...estimation import (
    Members,
    Reports,
    SecondMoment,
    collision_variance,
    null_collisions,
    shared_buckets,
    widened_quantile,
)
from ...registry import State
from ...sketches import add_coordinates, check_range, read_coordinates, transform
from ..one_sketch import STREAM, SketchEstimator
from .encoding import Encoding


class Server(Encoding):
    """Sums up signs, of sorted records without holding a sketch, or in a sketch that is kept."""

    @cached_property
    def debiased(self) -> "Debiased":
        return Debiased(self.epsilon, self.k, self.m)

    @property
    def keys_per_division(self) -> int:
        return 2 * self.m

    def read_out(self, shards: Sequence[Array], points: Array, start: int, stop: int, stream: str = STREAM) -> Integers:
        """Return the exact sums in every element's buckets, as `read_coordinates`."""
        self.check_stream(stream)
        check_range(start, stop, self.k)
        return read_coordinates(shards, self.family, points, self.m, start, stop)

    def add_to_state(self, state: State, streams: Mapping[str, Array]) -> None:
        for stream, records in streams.items():
            add_coordinates(state[stream], records)

    def cells(self, table: Array) -> Array:
        return transform(table)


class Debiased(SketchEstimator):
    """Counts without bias from sums of signs."""

    name: ClassVar[str] = "debiased"

    def estimate(self, read_out: Array, n: int, members: Members = 1) -> Floats:
        """Turn read-outs over all rows into counts.

        Parameters
        ----------
        read_out : ndarray of int, shape (D,)
            S(d), the transformed signs in the buckets of element d, over all rows; of a group, the sum over its
            members.
        n : int
            Number of reports.
        members : int or ndarray of int64, shape (D,)
            How many distinct elements each read-out is the sum of: g.

        Returns
        -------
        ndarray of float64, shape (D,)
            m/(m-1)·[c·S - g·n/m] with c = (e^ε + 1)/(e^ε - 1): unbiased over the choice of the hash functions, and
            below zero at times.

        References
        ----------
        Apple (2017), section "Private Hadamard Count Mean Sketch": a report adds k·c·w to its cell, and the transform
        comes before the look-up; here the sums over reports are put into the estimate.
        """
        sums = np.asarray(read_out, np.int64).astype(np.float64)
        return self.m / (self.m - 1) * (self._scale * sums - members * (n / self.m))

    def variance(self, count: Floats, n: Reports, f2: SecondMoment, members: Members = 1) -> Floats:
        """Return the variance of estimates over noise, rows, coordinates and the choice of the hash functions.

        Parameters
        ----------
        count : ndarray of float64, shape (D,)
            True counts F, or estimates in their place, which are clipped to 0 … n.
        n : int or ndarray of int64, shape (D,)
            Number of reports.
        f2 : float or ndarray of float64, shape (D,)
            F2, the sum of the squares of all true counts.
        members : int or ndarray of int64, shape (D,)
            How many distinct elements each count is the sum of: g.

        Returns
        -------
        ndarray of float64, shape (D,)
            For g = 1 (m/(m-1))²·[F(c²-1) + (n-F)(c²-1/m)], in squared reports, and `collision_variance`. In general the
            bracket is n·c²·(g + g(g-1)/m) less the squares of what a report adds on average given the hash functions:
            (1 + (g-1)/m)² + (g-1)(1-1/m)/m for each of F and g(1-1/m)/m + g²/m² for each of n-F.

        Notes
        -----
        A report adds c or -c to every member, alike to those in one bucket and uncorrelated to those in different
        ones: the mean of the square is c² times the mean of Σ N², N members sharing a bucket.
        """
        m, f = self.m, np.clip(count, 0, n)
        squares = n * self._scale**2 * (members + shared_buckets(members, m))
        own = (1 + (members - 1) / m) ** 2 + (members - 1) * (1 - 1 / m) / m
        other = members * (1 - 1 / m) / m + (members / m) ** 2
        noise = (m / (m - 1)) ** 2 * (squares - f * own - (n - f) * other)
        return noise + collision_variance(f, n, f2, self.k, m, members)

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
            How many elements are counted together: g.

        Returns
        -------
        float
            The estimate of an integer read-out s: the exact quantile of (S + n·g)/2 ~ Binomial(n·g, 1/2 + 1/(2cm)),
            moved out for collisions and for buckets that members share.

        Notes
        -----
        Beside `null_collisions`, N members in one bucket count its sign N times, which adds n·g(g-1)/m to the variance
        of S, and a quarter of that to the one of (S + n·g)/2.

        A report of coordinate 0 adds the same sign to all buckets, g or -g to S and more often g, so S is skew: for
        n < m < g a few such reports make most of it. The third moment of what one report adds is 1/c times the mean
        number of triples of members whose buckets XOR to the bucket reported. With the buckets of four elements
        independent, each of g³ triples does so with probability 1/m: g³/(cm). As a cumulant, and less what the binomial
        distribution has already, that is [g(g-1)(g-2) - 3·g²(g-1)/m]/(cm) + 2·g(g²-1)/(cm)³, for which its bound
        g(g-1)(g-2)/(cm) stands; an eighth of it counts in (S + n·g)/2.
        """
        signs_per_report = self.m / (self.m - 1) * self._scale
        variance, third_cumulant = null_collisions(n, f2, self.k, self.m, members)
        pairs = float(shared_buckets(members, self.m))
        variance = (variance / signs_per_report**2 + n * pairs) / 4
        third_cumulant = (third_cumulant / signs_per_report**3 + n * pairs * (members - 2) / self._scale) / 8
        chance = 0.5 + 0.5 / (self._scale * self.m)
        positive = widened_quantile(n * members, chance, alpha, variance, third_cumulant)
        return float(self.estimate(np.array([2 * positive - n * members]), n, members)[0])

    @property
    def _scale(self) -> float:
        """The paper's c = (e^ε + 1)/(e^ε - 1), by which expected differences shrink."""
        return 1 / math.tanh(float(self.epsilon) / 2)
