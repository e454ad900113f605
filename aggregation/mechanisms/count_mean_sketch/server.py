"""The server's half: one-bits counted per cell and read out, and counts made of them."""

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
from ...sketches import add_ones, check_range, read_ones
from ..one_sketch import STREAM, SketchEstimator
from .encoding import Encoding


class Server(Encoding):
    """Counts one-bits, of sorted records without holding a sketch, or in a sketch that is kept."""

    @cached_property
    def debiased(self) -> "Debiased":
        return Debiased(self.epsilon, self.k, self.m)

    @property
    def keys_per_division(self) -> int:
        return 1

    def read_out(self, shards: Sequence[Array], points: Array, start: int, stop: int, stream: str = STREAM) -> Integers:
        """Return the exact one-bits in every element's cells, as `read_ones`."""
        self.check_stream(stream)
        check_range(start, stop, self.k)
        return read_ones(shards, self.family, points, start, stop)

    def add_to_state(self, state: State, streams: Mapping[str, Array]) -> None:
        for stream, records in streams.items():
            add_ones(state[stream], records)


class Debiased(SketchEstimator):
    """Counts without bias from sums of one-bits."""

    name: ClassVar[str] = "debiased"

    def estimate(self, read_out: Array, n: int, members: Members = 1) -> Floats:
        """Turn read-outs over all rows into counts.

        Parameters
        ----------
        read_out : ndarray of int, shape (D,)
            S(d), the one-bits in the cells of element d over all rows; or sums of it over groups of elements.
        n : int
            Number of reports.
        members : int or ndarray of int64, shape (D,)
            How many elements each sum is over: g.

        Returns
        -------
        ndarray of float64, shape (D,)
            m/(m-1)·[c·S - g·(c·n/2 - n/2 + n/m)] with c = (e^(ε/2) + 1)/(e^(ε/2) - 1): unbiased over the choice of the
            hash functions, and below zero at times.

        References
        ----------
        Apple (2017), section "Private Count Mean Sketch": the debiased mean over rows, with the sums over reports put
        in.
        """
        counted = n * members
        centred = (2 * np.asarray(read_out, np.int64) - counted).astype(np.float64)
        return self.m / (self.m - 1) * (self._scale / 2 * centred + counted * (0.5 - 1 / self.m))

    def variance(self, count: Floats, n: Reports, f2: SecondMoment, members: Members = 1) -> Floats:
        """Return the variance of estimates over noise, rows and the choice of the hash functions.

        Parameters
        ----------
        count : ndarray of float64, shape (D,)
            True counts f, or estimates in their place, which are clipped to 0 … n.
        n : int or ndarray of int64, shape (D,)
            Number of reports.
        f2 : float or ndarray of float64, shape (D,)
            F2, the sum of the squares of the true counts of all elements.
        members : int or ndarray of int64, shape (D,)
            How many elements each count is of: g.

        Returns
        -------
        ndarray of float64, shape (D,)
            (m/(m-1))²·n·e^(ε/2)/(e^(ε/2)-1)²·(g + g(g-1)/m), the noise, in squared reports, and the collisions'
            `collision_variance`; for g = 1 that is [(n-f)(1-1/k) + (F2-f²)/k]/(m-1).
        """
        noise = (self.m / (self.m - 1)) ** 2 * n * (self._scale**2 - 1) / 4
        noise_of_all = noise * (members + shared_buckets(members, self.m))
        return noise_of_all + collision_variance(np.minimum(np.maximum(count, 0), n), n, f2, self.k, self.m, members)

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
            The estimate of an integer read-out s: the exact quantile of S ~ Binomial(n·g, π + (1-2π)/m), with π the
            flip probability, moved out for collisions and for buckets that members share.

        Notes
        -----
        Beside `null_collisions`, N members in one bucket count its noise N times. That adds n·π(1-π)·(E ΣN² - g) to the
        variance, E ΣN² - g = g(g-1)/m, and n·π(1-π)(1-2π)·(E ΣN³ - g) to the third cumulant,
        E ΣN³ - g = 3·g(g-1)/m + g(g-1)(g-2)/m².
        """
        chance = 0.5 - (0.5 - 1 / self.m) / self._scale
        reports_per_bit = self.m / (self.m - 1) * self._scale
        variance, third_cumulant = null_collisions(n, f2, self.k, self.m, members)
        pairs = float(shared_buckets(members, self.m))
        noise = n * (1 - 1 / self._scale**2) / 4
        variance = variance / reports_per_bit**2 + noise * pairs
        third_cumulant = third_cumulant / reports_per_bit**3
        third_cumulant += noise / self._scale * pairs * (3 + (members - 2) / self.m)
        s = widened_quantile(n * members, chance, alpha, variance, third_cumulant)
        return float(self.estimate(np.array([s]), n, members)[0])

    @property
    def _scale(self) -> float:
        """The paper's c = (e^(ε/2) + 1)/(e^(ε/2) - 1), by which expected differences shrink."""
        return 1 / math.tanh(float(self.epsilon) / 4)
