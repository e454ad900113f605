"""The ways there are to turn read-outs into counts."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from ..arrays import Array, Floats
from ..errors import ParameterError
from ..estimation import Corrected, consistent_counts
from ..registry import Mechanism

# From a mechanism, points and read-outs of all elements, shape (D,), and n, to counts of the same shape.
Estimate: TypeAlias = Callable[[Mechanism, Array, Array, int], Floats]


def _debiased(mechanism: Mechanism, points: Array, read_out: Array, n: int) -> Floats:
    return mechanism.debiased.estimate(read_out, n)


def _consistent(mechanism: Mechanism, points: Array, read_out: Array, n: int) -> Floats:
    return consistent_counts(_debiased(mechanism, points, read_out, n), n)


def _corrected(mechanism: Mechanism, points: Array, read_out: Array, n: int) -> Floats:
    estimator = corrected(mechanism, len(points))
    return estimator.estimate(estimator.without_collisions(points, read_out, n), n)


def corrected(mechanism: Mechanism, size: int) -> Corrected:
    """Return the estimator that corrects the collisions of so many elements.

    Raises
    ------
    ParameterError
        If the mechanism has no collisions that are known, or its hash functions are too few, or too many.
    """
    if mechanism.collisions is None:
        raise ParameterError("estimator", f"{mechanism.algorithm} has no collisions that could be corrected.")
    return Corrected(mechanism.collisions, size)


ESTIMATORS: Final[Mapping[str, Estimate]] = {
    "debiased": _debiased,
    "corrected": _corrected,
    "consistent": _consistent,
}
