"""Power of an audit: the standard error of the loss of an honest client, and the runs it takes."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, Protocol

from ..registry import Measured, Mechanism, part_of

# Up to this ε the rarest event is counted itself; above, it hardly ever happens, and its parts are counted.
MOST_EPSILON_OF_EVENTS: Final = 4


def flip_chance(exponent: float) -> float:
    """The probability of a flip by ε/2 or ε."""
    return 1 / (math.exp(exponent) + 1)


class BitVectors(Protocol):
    """Bit vectors of a report: m bits noised with ε."""

    @property
    def epsilon(self) -> Decimal: ...

    @property
    def m(self) -> int: ...


def error_of_events(sketches: Sequence[BitVectors], runs: int) -> float:
    """Return the standard error of the log ratio of {all say the own word} and {all say the other}.

    Parameters
    ----------
    sketches : sequence of BitVectors
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


def error_of_bits(sketches: Sequence[BitVectors], runs: int) -> float:
    """Return the standard error of the log odds of an own bit's flip and those of all others', added up."""
    variance = 0.0
    for sketch in sketches:
        p = flip_chance(float(sketch.epsilon) / 2)
        variance += (1 + 1 / (sketch.m - 1)) / (p * (1 - p))
    return math.sqrt(variance / runs)


def runs_for(error: float) -> int:
    """Return the runs with which an estimate can be judged, given the standard error that it has from one run."""
    return math.ceil((error * Measured.ERRORS_IN_TOLERANCE / Measured.TOLERANCE) ** 2)


def runs_needed(mechanism: Mechanism) -> int:
    """Return the runs with which the estimate of a mechanism's loss can be judged.

    Raises a ParameterError if the mechanism is not registered.
    """
    return part_of(mechanism, "audit").runs_needed(mechanism)
