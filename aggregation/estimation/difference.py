"""The difference of two estimated distributions: two locales, or two windows, mostly over one hash family.

Shares are of reports. Who happened to report is chance, too, as if reports were drawn from those of many people: two
locales that are alike do not report alike. So the errors of a difference are those of the estimates and of the draw,
p(1 - p) for each report, which at a large ε is most of it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np

from ..arrays import Flags, Floats, Integers
from ..errors import ParameterError
from .estimators import Estimator, OfEach
from .sampling import sampling_variance
from .second_moment import plug_in_f2, solve_sum_of_squares
from .subsample import Subsampled

# Named here: of a function in a function annotations are made anew by each call.


def at(values: OfEach, chosen: Flags) -> Any:
    """Return the values of some elements; a number that is of all of them stays one."""
    return values if np.ndim(values) == 0 else np.broadcast_to(values, chosen.shape)[chosen]


def of_each(compute: Callable[..., float], chosen: Flags, *arrays: Floats) -> OfEach:
    """Compute a number from the chosen elements of arrays of shape (D,), or one for each row of the shape (W, D)."""
    found: list[float] = [
        compute(*(array[row][chosen[row]] for array in arrays)) for row in np.ndindex(chosen.shape[:-1])
    ]
    return found[0] if chosen.ndim == 1 else np.array(found)[:, None]


class _Reports:
    """Reports of one side, and who estimates counts of them."""

    n: OfEach
    drawn: int | None
    estimator: Estimator | None

    def own(self, estimator: Estimator) -> Estimator:
        """Return the estimator of counts of all n reports."""
        own = self.estimator or estimator
        return own if self.drawn is None else Subsampled.of(own, self.n, self.drawn)


@dataclass(frozen=True, eq=False)
class Side(_Reports):
    """Exact read-outs of D elements and the reports behind them.

    Parameters
    ----------
    read_out : ndarray of int64, shape (D,)
        Sums over rows and days, as `Mechanism.read_out` gives them.
    n : int
        Number of reports.
    f2 : float, optional
        F2 over all elements, where the D are only some of them, such as the words that were found.
    size : int, optional
        From how many elements the D were selected by their thresholds, where these are not all: of words, candidates.
    prescribed_threshold : float, optional
        In reports: what this side's threshold is at least, whatever is statistically needed.
    drawn : int, optional
        How many of the n the read-out is of, drawn without looking at their elements, where it is not of all.
    estimator : Estimator, optional
        Of a side that another mechanism counted, or over another hash family, than is given for both sides. Then these
        have no collisions in common.
    """

    read_out: Integers
    n: int
    f2: float | None = None
    size: int | None = None
    prescribed_threshold: float | None = None
    drawn: int | None = None
    estimator: Estimator | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.read_out.shape

    def estimate(self, own: Estimator) -> Floats:
        """Return the estimated counts, by the estimator of this side."""
        return own.estimate(self.read_out, self.n)

    def squares(self, own: Estimator, count: Floats) -> float:
        """Return F2 over all elements, given the estimated counts of these."""
        return max(self.f2 or 0.0, plug_in_f2(own, count, self.n))

    def without(self, shared: "Side") -> "Side":
        """Return the reports of this side that are not shared."""
        drawn = None if self.drawn is None else self.drawn - (shared.drawn or 0)
        return Side(self.read_out - shared.read_out, self.n - shared.n, drawn=drawn)


@dataclass(frozen=True, eq=False)
class PublishedSide(_Reports):
    """A histogram as it is published, of D elements that it or another one lists: nothing is known of the others.

    Parameters
    ----------
    count : ndarray of float64, shape (D,) or (W, D)
        Estimated counts; 0 for elements below the threshold.
    above : ndarray of bool, shape (D,) or (W, D)
        Which elements are listed, because they are above the threshold.
    n : int
        Number of reports.
    threshold, f2 : float
        In reports, and in squared reports over all elements.
    size : int
        From how many elements the listed ones were selected.
    drawn, estimator
        As of `Side`.
    """

    count: Floats
    above: Flags
    n: OfEach
    threshold: OfEach
    f2: OfEach
    size: OfEach
    drawn: int | None = None
    estimator: Estimator | None = None

    @classmethod
    def stacked(cls, sides: Sequence[Self]) -> Self:
        """Return W sides by one estimator as one; the shorter end in elements not listed.

        Raises
        ------
        ParameterError
            If there are several, and one of them is drawn.
        """
        if len(sides) == 1:
            return sides[0]
        if any(side.drawn is not None for side in sides):
            raise ParameterError("drawn", "Sides that are drawn are compared one by one.")
        count = np.zeros((len(sides), max(len(side.count) for side in sides)))
        above = np.zeros(count.shape, bool)
        for row, side in enumerate(sides):
            count[row, : len(side.count)], above[row, : len(side.above)] = side.count, side.above
        numbers = np.array([(side.n, side.threshold, side.f2, side.size) for side in sides], np.float64)
        n, threshold, f2, size = numbers.T[:, :, None]
        return cls(count, above, n, threshold, f2, size, estimator=sides[0].estimator)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.count.shape

    def estimate(self, own: Estimator) -> Floats:
        return self.count

    def squares(self, own: Estimator, count: Floats) -> OfEach:
        return self.f2


AnySide: TypeAlias = Side | PublishedSide


@dataclass(frozen=True, eq=False)
class Estimated:
    """Raw differences of D elements, in shares; nothing of it is for showing before it is known what may be shown.

    ``first_variance``, ``second_variance`` and ``variance`` are of the two shares and of their difference, over the
    noise, over the choice of the hash family, which both sides mostly have in common, and over who reported.
    ``f2_first`` and ``f2_second`` are F2 of either side, over all elements, in counts, and ``squares`` is Δ2, in
    shares. ``step`` is what one bit more changes on the smaller side.
    """

    first: Floats
    second: Floats
    difference: Floats
    first_variance: Floats
    second_variance: Floats
    variance: Floats
    f2_first: OfEach
    f2_second: OfEach
    squares: OfEach
    step: OfEach

    def only(self, chosen: Flags) -> "Estimated":
        """Return the raw differences of some of the elements."""
        return Estimated(*(at(value, chosen) for value in vars(self).values()))


def estimate_differences(
    estimator: Estimator, first: AnySide, second: AnySide, shared: Side | None = None, known: Flags | None = None
) -> Estimated:
    """Estimate p₁ - p₂ and its variance for every element.

    Parameters
    ----------
    estimator : Estimator
        The estimator of both sides, with one hash family, but for a side that has its own.
    first, second : Side or PublishedSide
        The two sides, over the same D elements.
    shared : Side, optional
        The reports that are counted on both sides.
    known : ndarray of bool, shape (D,), optional
        Of which elements the difference may be known, where that is not all: of others nothing but F2 is used for Δ2.

    Returns
    -------
    Estimated

    Raises
    ------
    ParameterError
        If a side has no report, the lengths differ, or more reports are shared than a side has.

    Notes
    -----
    A report counts 1/n₁ on the first side, -1/n₂ on the second, and 1/n₁ - 1/n₂ if it is shared. With V(f, n) the
    variance of the estimate of f from n reports without what reports of the same element have in common (F2 = 0), and
    W(f, n) = V(f, n) + f(1 - f/n) with the variance of f itself, for reports that are drawn,

        Var(p̂₁ - p̂₂) = W(f₁-g, n₁-s)/n₁² + W(f₂-g, n₂-s)/n₂² + W(g, s)·(1/n₁ - 1/n₂)² + (Δ2 - δ²)/(k(m-1))

    where g of the s shared reports are about the element, δ = p₁ - p₂, and Δ2 = Σδ² is over all elements. The first
    three belong to different reports and are independent. The last is what the two sides have in common: an element
    that collides in a row does so on both, with p₁ here and p₂ there, so that only the difference is left. It is of
    what was reported, and so Δ2 is found from errors of the estimates alone.

    A side with an estimator of its own has nothing in common with the other: Var(p̂₁ - p̂₂) = Var(p̂₁) + Var(p̂₂).
    """
    check_sides(first, second, shared)
    n1, n2 = first.n, second.n
    estimator1, estimator2 = first.own(estimator), second.own(estimator)
    weighted, drawn = np.zeros((2, *first.shape))
    for part, weight in _apart(first, second, shared):
        count = part.estimate(part.own(estimator))
        weighted += part.own(estimator).variance(count, part.n, 0.0) * weight**2
        drawn += sampling_variance(count, part.n) * weight**2
    count1, count2 = first.estimate(estimator1), second.estimate(estimator2)
    difference = count1 / n1 - count2 / n2
    together = collisions_of_one(estimator)

    def variance(squares: OfEach, weighted: Floats = weighted, difference: Floats = difference) -> Floats:
        found: Floats = weighted + together * np.maximum(squares - difference**2, 0.0)
        return found

    def solve(*known: Floats) -> float:
        difference = known[1]
        squares = float(np.dot(difference, difference))
        return solve_sum_of_squares(squares, lambda found: float(variance(found, *known).sum()), 0.0, 2.0)

    own = np.ones(difference.shape, bool) if known is None else known
    squares = of_each(solve, own, weighted, difference)
    f2_1, rest1 = _squares(estimator1, count1, first, known)
    f2_2, rest2 = _squares(estimator2, count2, second, known)
    # All that is known of the other elements is that the square of a difference is at most both squares.
    squares = squares + (rest1 / n1**2 + rest2 / n2**2)
    first_variance = (estimator1.variance(count1, n1, f2_1) + sampling_variance(count1, n1)) / n1**2
    second_variance = (estimator2.variance(count2, n2, f2_2) + sampling_variance(count2, n2)) / n2**2
    return Estimated(
        count1 / n1,
        count2 / n2,
        difference,
        first_variance,
        second_variance,
        first_variance + second_variance if _are_apart(first, second) else variance(squares) + drawn,
        f2_1,
        f2_2,
        squares,
        np.maximum(_step(estimator1, n1), _step(estimator2, n2)),
    )


def if_equal(
    estimator: Estimator, estimated: Estimated, first: AnySide, second: AnySide, shared: Side | None = None
) -> Estimated:
    """Replace the variances by those that there would be if the two shares of an element were equal.

    Parameters
    ----------
    estimator, first, second, shared
        As for `estimate_differences`.
    estimated : Estimated
        What that found.

    Returns
    -------
    Estimated
        With variances at the share of both sides taken together. At the two estimates themselves they would depend on
        the difference: an element that noise raised on one side would seem to have less of it there, if frequent
        elements have less noise, as in a Hadamard Count Mean Sketch.
    """
    n1, n2 = first.n, second.n
    share = (n1 * estimated.first + n2 * estimated.second) / (n1 + n2)

    def alone(part: AnySide, f2: float = 0.0) -> Floats:
        count = share * part.n
        return part.own(estimator).variance(count, part.n, f2) + sampling_variance(count, part.n)

    weighted = np.zeros(share.shape)
    for part, weight in _apart(first, second, shared):
        weighted += alone(part) * weight**2
    together = weighted + collisions_of_one(estimator) * estimated.squares
    first_variance, second_variance = (
        alone(first, estimated.f2_first) / n1**2,
        alone(second, estimated.f2_second) / n2**2,
    )
    return replace(
        estimated,
        first_variance=first_variance,
        second_variance=second_variance,
        variance=first_variance + second_variance if _are_apart(first, second) else together,
    )


def _are_apart(first: AnySide, second: AnySide) -> bool:
    """Tell whether two sides have no hash functions in common."""
    return first.estimator is not None or second.estimator is not None


def _apart(first: AnySide, second: AnySide, shared: Side | None) -> Iterator[tuple[AnySide, float]]:
    """Yield reports of one side, of the other, and of both, with what one of them adds to the difference of shares."""
    if shared is None or isinstance(first, PublishedSide) or isinstance(second, PublishedSide):
        yield first, 1 / first.n
        yield second, 1 / second.n
    else:
        yield first.without(shared), 1 / first.n
        yield second.without(shared), 1 / second.n
        yield shared, 1 / first.n - 1 / second.n


def _squares(estimator: Estimator, count: Floats, side: AnySide, known: Flags | None) -> tuple[OfEach, OfEach]:
    """Return F2 of a side, and how much of it is of other elements than are known."""
    f2 = side.squares(estimator, count)
    if known is None:
        seen = plug_in_f2(estimator, count, side.n)
    else:
        seen = of_each(np.sum, known, count**2 - estimator.variance(count, side.n, f2))
    return f2, f2 - np.minimum(np.maximum(seen, 0.0), f2)


def _step(estimator: Estimator, n: OfEach) -> Floats:
    """Return what one more in a read-out adds to a share."""
    step: Floats = np.diff(estimator.estimate(np.array([0, 1]), n)) / n
    return step


def collisions_of_one(estimator: Estimator) -> float:
    """Return 1/(k(m-1)): the variance from collisions with an element of count one, without its noise."""
    return float(estimator.variance(np.zeros(1), 0, 1.0)[0])


def check_sides(first: AnySide, second: AnySide, shared: Side | None) -> None:
    """Refuse, by a `ParameterError`, what cannot be compared."""
    for side in (first, second):
        if np.any(side.n < 1):
            raise ParameterError("n", f"There is no share of {side.n} reports.")
    sizes = {side.shape[-1] for side in (first, second, shared) if side is not None}
    if len(sizes) > 1:
        raise ParameterError("read_out", f"All read-outs must be of the same elements, not {sorted(sizes)}.")
    if shared is not None and (isinstance(first, PublishedSide) or isinstance(second, PublishedSide)):
        raise ParameterError("shared", "Of published histograms it is not known which reports they share.")
    if shared is not None and not 0 <= shared.n <= min(first.n, second.n):
        raise ParameterError("shared", f"{shared.n} reports cannot be shared by {first.n} and {second.n}.")
    if shared is not None and _are_apart(first, second):
        raise ParameterError("shared", "Sides of different estimators share no reports.")
