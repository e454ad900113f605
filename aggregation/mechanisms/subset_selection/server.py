"""The server's half: subsets that have each element are counted, and counts made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ...arrays import Array, Floats, Integers
from ...errors import ParameterError
from ...estimation import Members, Reports, SecondMoment, upper_quantile
from ...registry import State
from ...sketches import check_range
from ..one_stream import STREAM
from .encoding import Encoding
from .members import member_variance, members_in_subset
from .sums import upper_quantile_of_sum


class Server(Encoding):
    """Counts, for each element, the subsets that it is in."""

    @cached_property
    def debiased(self) -> "Debiased":
        return Debiased(self.size, self.w, self.own)

    def points(self, elements: Sequence[str]) -> Array:
        """Return the numbers of elements, 0 … D - 1; a mechanism without its dictionary takes them for all of it.

        Raises
        ------
        ParameterError
            If an element is not in the dictionary.
        """
        known = self if self.elements is not None else self.with_dictionary(elements)
        if not known.places.keys() >= set(elements):
            # Not counted as anything else, which is no element.
            raise ParameterError("element", "An element is not in the dictionary.")
        return np.array([known.places[element] for element in elements], np.intp)

    def read_out(self, shards: Sequence[Array], points: Array, start: int, stop: int, stream: str = STREAM) -> Integers:
        self.check_stream(stream)
        check_range(start, stop, self.divisions)
        shards = shards if stop > start else [shard[:0] for shard in shards]
        return np.array([self.support_counts(shard)[points] for shard in shards], np.int64).reshape(
            len(shards), len(points)
        )

    def support_counts(self, records: Array) -> Integers:
        """Return how many subsets each of the D elements is in: shape (D,)."""
        counts = np.zeros(self.size, np.int64)
        for indexes in self.unpacked(records):
            counts += np.bincount(indexes.ravel(), minlength=self.size)
        return counts

    def empty_state(self) -> State:
        return {STREAM: np.zeros(self.size, np.int32)}

    def add_to_state(self, state: State, streams: Mapping[str, Array]) -> None:
        for stream, records in streams.items():
            state[stream] += self.support_counts(records).astype(np.int32)

    def read_state(self, state: State, points: Array) -> Integers:
        counts: Integers = state[STREAM][points].astype(np.int64)
        return counts


@dataclass(frozen=True)
class Debiased:
    """Counts without bias from support counts.

    Parameters
    ----------
    size, w : int
        D and w.
    own : float
        p, the probability that the own element is in a subset.
    """

    name: ClassVar[str] = "debiased"

    size: int
    w: int
    own: float

    @property
    def foreign(self) -> float:
        """The probability q that any other element is in a subset."""
        return (self.own * (self.w - 1) + (1 - self.own) * self.w) / (self.size - 1)

    def estimate(self, read_out: Array, n: int, members: Members = 1) -> Floats:
        """Turn support counts into counts.

        Parameters
        ----------
        read_out : ndarray of int, shape (D,)
            S(d), the subsets with element d; or sums of it over groups of elements.
        n : int
            Number of reports.
        members : int or ndarray of int64, shape (D,)
            How many elements each sum is over: g.

        Returns
        -------
        ndarray of float64, shape (D,)
            (S - g·n·q)/(p - q): unbiased, and below zero at times. Over all D elements they sum to n exactly, for the
            support counts sum to n·w, and w = p + (D-1)·q.

        References
        ----------
        Ye and Barg (2018), section III.
        """
        counts: Floats = np.asarray(read_out, np.int64).astype(np.float64)
        return (counts - n * np.asarray(members) * self.foreign) / (self.own - self.foreign)

    def variance(self, count: Floats, n: Reports, f2: SecondMoment, members: Members = 1) -> Floats:
        """Return the variance of estimates.

        Parameters
        ----------
        count : ndarray of float64, shape (D,)
            True counts F, or estimates in their place, which are clipped to 0 … n.
        n : int or ndarray of int64, shape (D,)
            Number of reports.
        f2 : float or ndarray of float64, shape (D,)
            Not looked at: nothing collides.
        members : int or ndarray of int64, shape (D,)
            How many distinct elements each count is of: g.

        Returns
        -------
        ndarray of float64, shape (D,)
            For g = 1, [n·q(1-q) + f·(p(1-p) - q(1-q))]/(p-q)². In general [F·V₁ + (n-F)·V₀]/(p-q)², V₁ and V₀ being
            the `member_variance` of a report about a member and about another element.
        """
        shape = self.size, self.w, self.own
        f = np.clip(count, 0, n)
        inside, outside = (member_variance(*shape, members, inside=each) for each in (True, False))
        variance: Floats = (f * inside + (n - f) * outside) / (self.own - self.foreign) ** 2
        return variance

    def threshold(self, n: int, alpha: float, f2: float, members: int = 1) -> float:
        """Return the smallest estimate that is rare for elements without reports.

        Parameters
        ----------
        n : int
            Number of reports.
        alpha : float
            How rare: the probability to reach it.
        f2 : float
            Not looked at.
        members : int
            How many elements are counted together: g.

        Returns
        -------
        float
            The estimate of an integer s: the exact quantile of S ~ Binomial(n, q); of a group, that of a sum of n
            independent numbers of members in a subset, which are not binomial.
        """
        if members == 1:
            s = upper_quantile(n, self.foreign, alpha)
        else:
            s = upper_quantile_of_sum(members_in_subset(self.size, self.w, self.own, members, inside=False), n, alpha)
        return float(self.estimate(np.array([s]), n, members)[0])
