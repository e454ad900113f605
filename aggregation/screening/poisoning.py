"""What fakes can do that no test sees."""

import math
from dataclasses import dataclass
from functools import singledispatch
from typing import Final

from ..errors import ParameterError
from ..mechanisms import SequenceFragmentPuzzle
from ..mechanisms.count_mean_sketch import CountMeanSketch
from ..mechanisms.hadamard_count_mean_sketch import HadamardCountMeanSketch
from ..registry import Mechanism


@dataclass(frozen=True)
class Effect:
    """By how much one fake report can move the estimates of a window, in reports.

    A fake that an unchanged client made about a chosen element adds 1 to it on average and nothing to others: it cannot
    be told from an honest report. ``raised`` and ``lowered`` are the most that any well-formed report whatever can add
    to the estimate of one element and take away from it. ``at_once`` is how many elements a crafted report can raise by
    that much together without being conspicuous; where it is None, those others that it raises it has not chosen.
    """

    raised: float
    lowered: float
    at_once: int | None


# Of one-bit reports; each looks at both sides.
_TESTS: Final = 6


@dataclass(frozen=True)
class MissingNoise:
    """When one-bit reports that all lack their noise are found.

    From some number on if one element has more than this ``share`` of them, or, whatever they are about, if about so
    many ``reports`` come together. Otherwise honest devices that saw other shares could have sent the same.
    """

    share: float
    reports: int


def missing_noise(mechanism: HadamardCountMeanSketch, alpha: float) -> MissingNoise:
    """Return when a batch without noise is found at a rate of false alarms.

    Notes
    -----
    Signs of one cell agree with probability (1 + F2)/2 without noise, F2 being the sum of squared shares, and honest
    ones with at most (1 + ρ²)/2, ρ = tanh(ε/2). At coordinate 0 not one of n/m signs is minus, by chance with
    probability (1 - π)^(n/m).
    """
    half = float(mechanism.epsilon) / 2
    minus = 1 / (math.exp(2 * half) + 1)
    return MissingNoise(math.tanh(half), math.ceil(mechanism.m * math.log(2 * _TESTS / alpha) / -math.log1p(-minus)))


@singledispatch
def effect_of_fakes(mechanism: Mechanism) -> Effect:
    """Bound what one fake report does to estimates.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism with its parameters.

    Returns
    -------
    Effect
        Count Mean Sketch: a report adds m/(m-1)·[c·b - c/2 + 1/2 - 1/m] to f̂(d), b being its bit in the bucket of d. So
        at most (m·x - 1)/(m - 1), with x = (c + 1)/2 = e^(ε/2)/(e^(ε/2) - 1); and it takes away at most
        (m·(x - 1) + 1)/(m - 1). Over all buckets of its row, a vector with w ones adds c·m/(m-1)·(w - E W), where
        E W = (m-1)π + 1 - π: with as many ones as an honest one, it raises E W buckets of its own choice.
        Hadamard Count Mean Sketch: m/(m-1)·[±c - 1/m], so at most (m·c - 1)/(m - 1) and (m·c + 1)/(m - 1), with
        c = (e^ε + 1)/(e^ε - 1).
        Sequence Fragment Puzzle: of words, as Count Mean Sketch with the ε of words.

    Raises
    ------
    ParameterError
        If nothing is known of the mechanism.

    References
    ----------
    X. Cao, J. Jia, N. Gong, "Data Poisoning Attacks to Local Differential Privacy Protocols" (2021).
    """
    raise ParameterError("algorithm", f"The effect of fakes is not known for {mechanism.algorithm}.")


@effect_of_fakes.register
def _of_vectors(mechanism: CountMeanSketch) -> Effect:
    m, half = mechanism.m, float(mechanism.epsilon) / 2
    x = -1 / math.expm1(-half)
    flip = 1 / (math.exp(half) + 1)
    return Effect((m * x - 1) / (m - 1), (m * (x - 1) + 1) / (m - 1), math.floor((m - 1) * flip + 1 - flip))


@effect_of_fakes.register
def _of_coordinates(mechanism: HadamardCountMeanSketch) -> Effect:
    m, c = mechanism.m, 1 / math.tanh(float(mechanism.epsilon) / 2)
    return Effect((m * c - 1) / (m - 1), (m * c + 1) / (m - 1), None)


@effect_of_fakes.register
def _of_words(mechanism: SequenceFragmentPuzzle) -> Effect:
    return _of_vectors(mechanism.words)
