"""The ways there are to turn read-outs into counts."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..estimation import consistent_counts
from ..registry import Mechanism

# From a mechanism, the read-outs of all elements, shape (D,), and n, to counts of the same shape.
Estimate: TypeAlias = Callable[[Mechanism, NDArray[Any], int], NDArray[np.float64]]


def _debiased(mechanism: Mechanism, read_out: NDArray[Any], n: int) -> NDArray[np.float64]:
    return mechanism.debiased.estimate(read_out, n)


def _consistent(mechanism: Mechanism, read_out: NDArray[Any], n: int) -> NDArray[np.float64]:
    return consistent_counts(_debiased(mechanism, read_out, n), n)


ESTIMATORS: Final[Mapping[str, Estimate]] = {"debiased": _debiased, "consistent": _consistent}
# Those that have a closed form of their squared error.
UNBIASED: Final = ("debiased",)
