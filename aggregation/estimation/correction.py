"""Collision correction: what elements of a complete dictionary put into each other's buckets is known, and taken out.

Of all pairs of elements it is known in how many rows they share a bucket. The matrix of these shares is never held: it
is applied row by row, in as many steps as there are look-ups, and the equations are solved by conjugate gradients.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import ClassVar, Final

import numpy as np

from ..arrays import Array, Floats, Integers, Places
from ..errors import ParameterError
from ..sketches import HashFamily
from .estimators import Estimator, Members, Reports, SecondMoment

# Fewer rows, or more elements for each dimension of a sketch, leave equations that magnify the noise.
FEWEST_ROWS: Final = 16
MOST_LOAD: Final = 0.25
# Two elements have the same buckets in all rows, or never do, with a probability of 2^-47: none is singular by chance.
_FEWEST_BITS: Final = 48
# Look-ups of one step. Where there are more, rows are so many that collisions hardly matter.
MOST_LOOK_UPS: Final = 2**26
# Look-ups whose buckets are held at once, and cells: of a dictionary of two elements there are many more of these.
_BLOCK: Final = 2**16
# Look-ups whose cells are held while equations are solved: 16 MB.
_MOST_HELD: Final = 2**21
# How exactly read-outs are found, in ones; the error halves with each step at least.
_TOLERANCE: Final = 1 / 16
_MOST_STEPS: Final = 200
# Eigenvalues are (1 - √MOST_LOAD)², a quarter, or little below.
_SINGULAR: Final = 1e-3
# A spread of variances below this part of them moves no threshold.
_EVEN: Final = 0.02
# Nor does it widen one that is passed so often.
_COMMON: Final = 0.1
# Times the normal quantile, beyond which no threshold is widened; found to 2^-40 of it.
_FARTHEST: Final = 16
_HALVINGS: Final = 44


@dataclass(frozen=True)
class Collisions:
    """Buckets that the elements of a sketch share.

    Parameters
    ----------
    family : HashFamily
        The hash functions.
    k, m : int
        Rows, and buckets of a row.
    debiased : Estimator
        The estimator without correction, of a sketch with so many rows that no two reports meet in two of them.
    """

    family: HashFamily
    k: int
    m: int
    debiased: Estimator

    def load(self, size: int) -> float:
        """Return D/(k(m-1)): elements for each dimension of the sketch, which is where noise goes to infinity at 1."""
        return size / (self.k * (self.m - 1))

    def can_be_corrected(self, size: int) -> bool:
        """Tell whether so many elements can be told apart by these rows, in reasonable time."""
        return self.has_enough_rows(size) and self.k * size <= MOST_LOOK_UPS

    def has_enough_rows(self, size: int) -> bool:
        enough = self.k >= FEWEST_ROWS and self.k * math.log2(self.m) >= _FEWEST_BITS
        return enough and self.load(size) <= MOST_LOAD

    def mix(self, points: Array, values: Floats) -> Floats:
        """Return what estimates without correction are on average, given the hash functions.

        Parameters
        ----------
        points : ndarray, first axis of length D
            ``family.points`` of all elements.
        values : ndarray of float64, shape (D,)
            Their true counts.

        Returns
        -------
        ndarray of float64, shape (D,)
            R f, where R[d, d'] is m/(m-1)·(C - 1/m), and C the share of rows in which d and d' share a bucket: 1 for an
            element itself, and 0 on average over hash families for any two.
        """
        return self.mixing(points)(values)

    def mixing(self, points: Array) -> Callable[[Floats], Floats]:
        """Return `mix` of these points, for many counts: their cells are held if they are few."""
        held = tuple(self._cells(points)) if self.k * len(points) <= _MOST_HELD else None
        return lambda values: self._mix(self._cells(points) if held is None else held, values)

    def _cells(self, points: Array) -> Iterator[Places]:
        """Yield the cells of all points, of shape (rows, D), a few rows at a time, numbered from the first of them."""
        step = max(1, _BLOCK // max(len(points), self.m))
        for start in range(0, self.k, step):
            stop = min(start + step, self.k)
            cells = self.family.buckets(points, start, stop, self.m).astype(np.intp)
            cells += (np.arange(stop - start) * self.m)[:, None]
            yield cells

    def _mix(self, cells: Iterable[Places], values: Floats) -> Floats:
        mixed, weights = np.zeros(len(values)), np.empty(0)
        for block in cells:
            if len(weights) != block.size:
                weights = np.tile(values, len(block))
            sums = np.bincount(block.reshape(-1), weights, minlength=len(block) * self.m)
            mixed += sums.take(block).sum(axis=0)
        centred: Floats = (mixed / self.k - values.sum() / self.m) * (self.m / (self.m - 1))
        return centred


@dataclass(frozen=True)
class Corrected:
    """Counts whose collisions with each other are taken out.

    It estimates from read-outs that `without_collisions` has corrected; these add up as others do.

    Parameters
    ----------
    collisions : Collisions
    size : int
        Elements of the dictionary, D, which has to be complete.

    Raises
    ------
    ParameterError
        If rows are too few for so many elements, or too many to be gone through.
    """

    name: ClassVar[str] = "corrected"

    collisions: Collisions
    size: int

    def __post_init__(self) -> None:
        if not self.collisions.can_be_corrected(self.size):
            raise ParameterError(
                "k",
                f"Collisions of {self.size:,} elements in {self.collisions.k:,} rows of {self.collisions.m:,} buckets"
                " cannot be corrected: rows are too few, or too many to be gone through.",
            )

    def without_collisions(self, points: Array, read_out: Integers, n: int) -> Integers:
        """Return the read-outs that there would be if no two elements shared a bucket more often than on average.

        Parameters
        ----------
        points : ndarray, first axis of length D
            ``Mechanism.points`` of the whole dictionary.
        read_out : ndarray of int64, shape (D,)
            Exact read-outs of all reports.
        n : int
            Number of reports.

        Returns
        -------
        ndarray of int64, shape (D,)
            S + (f̃ - f̂)/s, to the nearest integer, where f̂ is the estimate of S, s what one more in S adds to it, and
            f̃ solves R f̃ = f̂ (`Collisions.mix`).

        Raises
        ------
        ParameterError
            If these hash functions cannot tell the elements apart.

        Notes
        -----
        R is a Gram matrix of D unit vectors in k(m-1) dimensions, as good as random. With y = D/(k(m-1)) its
        eigenvalues are within (1 ± √y)² (Marchenko and Pastur 1967), so conjugate gradients divide the error by 1/√y,
        at least 2, in each step.
        """
        debiased = self.collisions.debiased
        estimate = debiased.estimate(read_out, n)
        per_one = float(np.diff(debiased.estimate(np.array([0, 1]), n))[0])
        mix = self.collisions.mixing(points)
        solution, residual = estimate, estimate - mix(estimate)
        direction, squares = residual, float(np.square(residual).sum())
        for _ in range(_MOST_STEPS):
            if np.abs(residual).max(initial=0.0) <= _TOLERANCE * per_one:
                return read_out + np.rint((solution - estimate) / per_one).astype(np.int64)
            mixed = mix(direction)
            curvature = float((direction * mixed).sum())
            if curvature <= _SINGULAR * float(np.square(direction).sum()):
                break
            length = squares / curvature
            solution, residual = solution + length * direction, residual - length * mixed
            before, squares = squares, float(np.square(residual).sum())
            direction = residual + squares / before * direction
        raise ParameterError("k", "These hash functions cannot tell the elements apart: the equations are singular.")

    def estimate(self, read_out: Array, n: int, members: Members = 1) -> Floats:
        """Return counts from corrected read-outs, as the estimator without correction does."""
        return self.collisions.debiased.estimate(read_out, n, members)

    def variance(self, count: Floats, n: Reports, f2: SecondMoment, members: Members = 1) -> Floats:
        """Return the variance of estimates over noise, rows and the choice of the hash functions.

        Parameters
        ----------
        count : ndarray of float64, shape (D,)
            True counts F, or estimates in their place, which are clipped to 0 … n.
        n : int or ndarray of int64, shape (D,)
            Number of reports.
        f2 : float or ndarray of float64, shape (D,)
            Not used: reports of the same element that collide together are taken out.
        members : int or ndarray of int64, shape (D,)
            How many elements each count is of: g.

        Returns
        -------
        ndarray of float64, shape (D,)
            V_g(F) + (ι - 1)·g·(V₁ - c) + [(ι² - 1)·g² + (ι³ - ι²)·g]·c + F·(s + 1)·v, in squared reports. V is the
            variance without correction but for F2, V₁ of an element without reports, c = V₂/2 - V₁ the covariance of
            two of them, ι = 1/(1 - D/(k(m-1))) the mean diagonal of R⁻¹, s + 1 how loud an own report is, and v how
            much that depends on its row (`_row_variance`).
        """
        debiased, gain = self.collisions.debiased, self._gain
        nothing = np.zeros(np.shape(n))
        alone = debiased.variance(nothing, n, 0.0)
        together = debiased.variance(nothing, n, 0.0, 2) / 2 - alone
        magnified = (gain - 1) * members * (alone - together)
        magnified = magnified + ((gain**2 - 1) * members**2 + (gain**3 - gain**2) * members) * together
        own = np.minimum(np.maximum(count, 0), n) * (self._loudness * self._row_variance)
        return debiased.variance(count, n, 0.0, members) + own + magnified

    def threshold(self, n: int, alpha: float, f2: float, members: int = 1) -> float:
        """Return the smallest estimate that is rare for elements without reports.

        Parameters
        ----------
        n, alpha, members
            As for the estimator without correction.
        f2 : float
            F2, the sum of the squares of all true counts.

        Returns
        -------
        float
            The threshold without collisions times the ratio of the standard errors, and once more widened because
            elements that share buckets with frequent ones have more noise than others (`_widening`).
        """
        debiased, nothing = self.collisions.debiased, np.zeros(1)
        plain = float(debiased.variance(nothing, n, 0.0, members)[0])
        own = float(self.variance(nothing, n, 0.0, members)[0])
        if not own:
            return debiased.threshold(n, alpha, 0.0, members)
        widened = self._widening(n, alpha, max(f2 - n, 0.0) / members, own / members)
        return math.sqrt(own / plain) * widened * debiased.threshold(n, alpha, 0.0, members)

    @cached_property
    def _gain(self) -> float:
        """The mean diagonal of R⁻¹, by which noise is magnified."""
        return 1 / (1 - self.collisions.load(self.size))

    @cached_property
    def _loudness(self) -> float:
        """The mean square of what one report adds to its own element, s + 1, beyond what any report adds.

        It is nearly 1 with bits, 1/(p - q) with buckets, and 0 with signs, all of which are as loud.
        """
        without, about = self.collisions.debiased.variance(np.array([0.0, 1.0]), 1, 0.0).tolist()
        return max(0.0, 1 + float(about - without))

    @cached_property
    def _row_variance(self) -> float:
        """The variance v, over rows, of what a report adds to the corrected count of its own element, 1 on average.

        Notes
        -----
        In row j it is (R⁻¹ R_j)[d, d] = 1 - Σ_e R[d, e]·(R_j - R)[e, d] to first order, where R_j[e, d] is 1 if e
        shares the bucket of d there and -1/(m-1) if not, and R the mean of R_j. Row j is in R itself, so that
        (1/k)·Σ_e R_j[e, d]² of D - 1 others varies by (D-1)·(m-2)²/(k²(m-1)³). What other rows add, ι·y/(m-1), is as
        much as ι - 1 times the collisions that the own report is counted for in V₁ and has not.
        """
        k, m = self.collisions.k, self.collisions.m
        return (self.size - 1) * (k - 1) / k**3 * (m - 2) ** 2 / (m - 1) ** 3

    def _widening(self, n: int, alpha: float, squares: float, variance: float) -> float:
        """Return by how much a threshold grows because variances differ from element to element.

        Notes
        -----
        Of reports that share a bucket with an element, each adds noise of its own: the variance is that of a rare
        element and 1 + s for each, where s is what a report about the element itself adds to it. As in
        `null_collisions`, the squares are taken for those of one frequent element, F = √squares, that meets in N of k
        rows, N ~ Poisson(k/(m-1)): so the variance is V + (1 + s)·(F/k)·(N - k/(m-1)), and the threshold is where the
        mean tail of such normal numbers is α.
        """
        k, m = self.collisions.k, self.collisions.m
        each = self._loudness * math.sqrt(squares) / k
        rate = k / (m - 1)
        if each * math.sqrt(rate) <= _EVEN * variance or alpha >= _COMMON:
            return 1.0
        rows = np.arange(math.ceil(rate + 10 * math.sqrt(rate) + 10))
        chances = np.exp(rows * math.log(rate) - rate - np.array([math.lgamma(row + 1) for row in rows.tolist()]))
        spreads = np.sqrt(np.maximum(1 + each * (rows - rate) / variance, 1e-12))
        normal = NormalDist()

        def tail(distance: float) -> float:
            return float(chances @ [normal.cdf(z) for z in (-distance / spreads).tolist()])

        z = -normal.inv_cdf(alpha)
        low, high = z, _FARTHEST * z
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(middle) > alpha else (low, middle)
        return high / z
