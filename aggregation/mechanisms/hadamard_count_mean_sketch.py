"""Hadamard Count Mean Sketch: one hash row and one noised bit a report, a coordinate of the Hadamard transform."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..encoding import coordinate_dtype, coordinate_line, coordinate_lines, pack_coordinates, parse_coordinates
from ..estimation import collision_variance, null_collisions, shared_buckets, widened_quantile
from ..randomness import device_below, device_flip, fleet_single_flips, flip_threshold
from ..registry import Members, ParsedRecords, Reports, Squares
from ..sketches import are_negative, check_range, read_coordinates, sign, sum_coordinates
from .one_sketch import OneSketch


class HadamardCountMeanSketch(OneSketch):
    """Hadamard Count Mean Sketch; its m is also the number of coordinates of a row's transform.

    References
    ----------
    Apple, "Learning with Privacy at Scale" (2017), section "Private Hadamard Count Mean Sketch". Neighbouring inputs
    are two elements of one event; each sends one bit, so the bit has the whole ε: the flip probability is 1/(e^ε + 1).
    """

    algorithm: ClassVar[str] = "HadamardCountMeanSketch"

    @property
    def report_characters(self) -> int:
        return len(coordinate_line(self.k - 1, self.m - 1, -1))

    # The device's half.

    def privatize(self, element: str) -> str:
        row, coordinate = device_below(self.k), device_below(self.m)
        honest = sign(self.family.bucket(element, row, self.m), coordinate)
        return coordinate_line(row, coordinate, -honest if device_flip(self._flip_threshold) else honest)

    def privatize_fleet(
        self, elements: Sequence[str], element_index: NDArray[Any], rng: np.random.Generator
    ) -> dict[str, NDArray[Any]]:
        index = np.asarray(element_index, np.intp)
        rows = rng.integers(0, self.k, size=len(index))
        coordinates = rng.integers(0, self.m, size=len(index), dtype=np.uint32)
        buckets = self.family.buckets_of_pairs(self.family.points(elements), index, rows, self.m)
        flips = fleet_single_flips(len(index), self._flip_threshold, rng)
        positive = are_negative(buckets, coordinates) == flips
        return {"element": pack_coordinates(rows, coordinates, positive, self.m)}

    # Records.

    def format_records(self, parts: Mapping[str, NDArray[Any]]) -> list[str]:
        return coordinate_lines(parts["element"], self.m)

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        parsed, rejected = parse_coordinates(records, self.k, self.m)
        return ParsedRecords({"element": parsed}, rejected)

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        self._check_stream(stream)
        return coordinate_dtype()

    # The server's half.

    def sketch(self, records: NDArray[Any], start_row: int, stop_row: int) -> NDArray[np.signedinteger[Any]]:
        """Return the exact sums of every cell before the transform, as `sum_coordinates`.

        `transform` turns them into the buckets' sums.
        """
        check_range(start_row, stop_row, self.k)
        return sum_coordinates(records, self.m, start_row, stop_row)

    def read_out(
        self, shards: Sequence[NDArray[Any]], points: NDArray[Any], start_row: int, stop_row: int
    ) -> NDArray[np.int64]:
        """Return the exact sums in every element's buckets, as `read_coordinates`."""
        check_range(start_row, stop_row, self.k)
        return read_coordinates(shards, self.family, points, self.m, start_row, stop_row)

    def estimate(self, read_out: NDArray[Any], n: int, members: Members = 1) -> NDArray[np.float64]:
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

    def variance(
        self, count: NDArray[np.float64], n: Reports, f2: Squares, members: Members = 1
    ) -> NDArray[np.float64]:
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
        """Return the smallest estimate that is rare for elements nobody reported.

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

    @cached_property
    def _flip_threshold(self) -> int:
        return flip_threshold(self.epsilon)

    @property
    def _scale(self) -> float:
        """The paper's c = (e^ε + 1)/(e^ε - 1), by which expected differences shrink."""
        return 1 / math.tanh(float(self.epsilon) / 2)
