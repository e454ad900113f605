"""Expectations of reports that are not collected yet: which elements would be seen, and how exactly."""

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final

import numpy as np

from ..arrays import Floats
from ..errors import ParameterError
from ..estimation import Estimator, detection_power, smallest_detectable
from ..registry import Mechanism, estimator_of
from .cost import LETTERS
from .zipf import Frequencies, zipf_frequencies

LIKELY: Final = 0.9


@dataclass(frozen=True)
class DetectionLimit:
    """Smallest shares at which an element is detected.

    Parameters
    ----------
    half : float
        To pass the threshold with probability ½. For one sketch it is T/n.
    likely : float
        To pass it with the probability that is asked for, 0.9 as a rule; 1 if none is large enough.
    """

    half: float
    likely: float


@dataclass(frozen=True)
class Expectation:
    """Expected histogram of n reports about elements that follow a law of Zipf.

    Parameters
    ----------
    candidates : int
        Of how many elements the threshold is: D, or of words those whose fragments are expected to pass.
    limit : DetectionLimit
    visible : float
        How many elements are expected to pass.
    standard_error : float
        Of the share of a rare element.
    excess : float
        By what part that error is larger than it would be if no two reports were about one element: collisions of
        frequent elements, which more hash functions make rarer.
    """

    candidates: int
    limit: DetectionLimit
    visible: float
    standard_error: float
    excess: float


def detection_limit(
    mechanism: Mechanism, n: int, dictionary_size: int, alpha: float, f2: float | None = None, letters: int = LETTERS
) -> DetectionLimit:
    """Return how large the share of an element has to be to pass the threshold.

    Parameters
    ----------
    mechanism : Mechanism
        With the parameters that are planned; its hash functions do not matter.
    n : int
        Number of reports, at least 1.
    dictionary_size : int
        D; of words, how many candidates are expected to be left.
    alpha : float
        Expected number of elements without any report that pass the threshold.
    f2 : float, optional
        F2, the sum of the squares of all true counts; if it is not known, that of a law of Zipf with s = 1 over D.
    letters : int
        Of the alphabet, for a mechanism that finds words.

    Returns
    -------
    DetectionLimit

    Raises
    ------
    ParameterError
        If n or D is below 1, or alpha is not between 0 and 1.

    Notes
    -----
    The threshold is exact, the rest normal. Words have to pass the cuts of all positions as well, each of which is
    planned to have its part of the reports.
    """
    _check(n, alpha)
    frequencies = zipf_frequencies(dictionary_size, 1)
    law = _Law(mechanism, mechanism.debiased, n, _f2(frequencies, n) if f2 is None else f2, letters)
    return law.limit(law.threshold(dictionary_size, alpha))


@dataclass(frozen=True)
class Prospect:
    """Histogram that n reports would show, of elements that follow a law of Zipf.

    Parameters
    ----------
    mechanism, n, alpha, letters
        As for `detection_limit`.
    dictionary_size : int
        D; of words, how many different ones are reported.
    exponent : float
        s of the law p_r ∝ r^-s, at least 0.
    prescribed_threshold : float, optional
        In reports: what the threshold is at least.
    complete : bool
        Whether the dictionary has everything that can be reported, so that collisions are corrected (`estimator_of`).

    Raises
    ------
    ParameterError
        As `detection_limit` does, and for an exponent below 0.
    """

    mechanism: Mechanism
    n: int
    dictionary_size: int
    exponent: float
    alpha: float
    letters: int = LETTERS
    prescribed_threshold: float | None = None
    complete: bool = False

    def __post_init__(self) -> None:
        _check(self.n, self.alpha)
        zipf_frequencies(self.dictionary_size, self.exponent)

    def expect(self, probability: float = LIKELY) -> Expectation:
        """Return the expected histogram; `probability` is of the limit's `likely`.

        Visible are Σ Φ((p_r·n - T)/σ(p_r·n)), each term times the probability that all fragments of a word pass.
        """
        law, frequencies, n = self._law, self._frequencies, self.n
        visible = float(law.seen(frequencies.shares, self._threshold) @ frequencies.numbers)
        variances = (float(law.estimator.variance(np.zeros(1), n, f2)[0]) for f2 in (law.f2, float(n)))
        error, alone = (math.sqrt(variance) / n for variance in variances)
        return Expectation(self._candidates, law.limit(self._threshold, probability), visible, error, error / alone - 1)

    def probability(self, share: float) -> float:
        """Return how probably an element with this share is seen, in a fraction of the time that a share takes."""
        return float(self._law.seen(np.array([share]), self._threshold)[0])

    def share(self, probability: float = LIKELY) -> float:
        """Return the smallest share that is seen with this probability, as the `likely` limit, and sooner."""
        return self._law.smallest(self._threshold, probability)

    @property
    def _frequencies(self) -> Frequencies:
        return zipf_frequencies(self.dictionary_size, self.exponent)

    @cached_property
    def _law(self) -> "_Law":
        estimator = estimator_of(self.mechanism, self.dictionary_size, complete=self.complete)
        return _Law(self.mechanism, estimator, self.n, _f2(self._frequencies, self.n), self.letters)

    @cached_property
    def _candidates(self) -> int:
        # Every element of a dictionary is joined, and counts.
        joined = self._law.candidates(self._frequencies.shares)
        return max(round(float(joined @ self._frequencies.numbers)), 1)

    @cached_property
    def _threshold(self) -> float:
        return max(self._law.threshold(self._candidates, self.alpha), self.prescribed_threshold or 0.0)


@dataclass(frozen=True)
class _Law:
    """The frequencies of n reports, as far as thresholds and variances know them."""

    mechanism: Mechanism
    estimator: Estimator
    n: int
    f2: float
    letters: int

    def threshold(self, size: int, alpha: float) -> float:
        return self.estimator.threshold(self.n, alpha / size, self.f2)

    def seen(self, shares: Floats, threshold: float) -> Floats:
        """Return the probabilities that elements are candidates, and their estimates pass the threshold.

        `shares` are of the n reports, and the threshold is in reports; the result has the shape of the shares.
        """
        found = detection_power(self.estimator, shares * self.n, self.n, self.f2, threshold)
        return found * self.candidates(shares)

    def limit(self, threshold: float, probability: float = LIKELY) -> DetectionLimit:
        return DetectionLimit(self.smallest(threshold, 0.5), self.smallest(threshold, probability))

    def smallest(self, threshold: float, probability: float) -> float:
        """Return the smallest share that is seen with this probability; 1 if none is large enough."""
        return smallest_detectable(partial(self.seen, threshold=threshold), probability)

    def candidates(self, shares: Floats) -> Floats:
        """Return the probabilities that elements of these shares become candidates at all."""
        return self.mechanism.candidate_probability(shares, self.n, self.f2, self.letters)


def _f2(frequencies: Frequencies, n: int) -> float:
    """Return F2 of whole counts with these shares: at least n."""
    return max(float(n), frequencies.sum_of_squares * float(n) ** 2)


def _check(n: int, alpha: float) -> None:
    if n < 1:
        raise ParameterError("n", f"There is nothing to see of {n} reports.")
    if not 0 < alpha < 1:
        raise ParameterError("alpha", f"alpha must be above 0 and below 1, not {alpha!r}.")
