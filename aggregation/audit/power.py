"""How exactly a number of runs measures the loss of an honest client, and how many runs that takes."""

import math
from typing import Final

from ..mechanisms import Mechanism, SequenceFragmentPuzzle
from ..mechanisms.count_mean_sketch import CountMeanSketch
from ..mechanisms.hadamard_count_mean_sketch import HadamardCountMeanSketch
from .evidence import ERRORS_IN_TOLERANCE, TOLERANCE

# Up to this ε the rarest event is counted itself; above, it hardly ever happens, and its parts are counted.
MOST_EPSILON_OF_EVENTS: Final = 4


def flip_chance(exponent: float) -> float:
    """The probability of a flip by ε/2 or ε."""
    return 1 / (math.exp(exponent) + 1)


def sketches_of(mechanism: Mechanism) -> list[CountMeanSketch]:
    """The bit vectors of a report; none if it has none."""
    if isinstance(mechanism, SequenceFragmentPuzzle):
        return [mechanism.words, mechanism.fragments]
    return [mechanism] if isinstance(mechanism, CountMeanSketch) else []


def error_of_events(sketches: list[CountMeanSketch], runs: int) -> float:
    """Return the standard error of the log ratio of {all say the own word} and {all say the other}.

    Parameters
    ----------
    sketches : list of CountMeanSketch
        The bit vectors of one report, m bits and ε each.
    runs : int
        Reports.

    Returns
    -------
    float
        √((1/p + 1/q)/N) with p = Π(1 - π)², q = Ππ², π the flip probabilities, and N = runs·Π(1 - 1/m), those in which
        every vector has a bit for each word.
    """
    flips = [flip_chance(float(sketch.epsilon) / 2) for sketch in sketches]
    said, unsaid = math.prod((1 - p) ** 2 for p in flips), math.prod(p**2 for p in flips)
    apart = runs * math.prod(1 - 1 / sketch.m for sketch in sketches)
    return math.sqrt((1 / said + 1 / unsaid) / apart)


def error_of_bits(sketches: list[CountMeanSketch], runs: int) -> float:
    """Return the same for the log odds of an own bit's flip and those of all others', added up."""
    variance = 0.0
    for sketch in sketches:
        p = flip_chance(float(sketch.epsilon) / 2)
        variance += (1 + 1 / (sketch.m - 1)) / (p * (1 - p))
    return math.sqrt(variance / runs)


def error_of_signs(mechanism: HadamardCountMeanSketch, runs: int) -> float:
    """Return the same for the log odds of a sign's flip, over the runs at which the signs of two words differ.

    Those are half of the coordinates where two buckets differ, as they do in 1 - 1/m of the rows.
    """
    p = flip_chance(float(mechanism.epsilon))
    return math.sqrt(1 / (p * (1 - p) * runs * (1 - 1 / mechanism.m) / 2))


def runs_needed(mechanism: Mechanism) -> int:
    """The runs with which the estimate of a mechanism's loss can be judged; raises a TypeError for an unknown one."""
    sketches = sketches_of(mechanism)
    if isinstance(mechanism, HadamardCountMeanSketch):
        error = error_of_signs(mechanism, 1)
    elif not sketches:
        raise TypeError(f"There is no audit of {mechanism.algorithm}.")
    elif mechanism.report_epsilon <= MOST_EPSILON_OF_EVENTS:
        error = error_of_events(sketches, 1)
    else:
        error = error_of_bits(sketches, 1)
    return math.ceil((error * ERRORS_IN_TOLERANCE / TOLERANCE) ** 2)
