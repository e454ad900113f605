"""Flip thresholds, and flips with exactly their probability."""

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from aggregation.errors import ParameterError
from aggregation.randomness import device_flips, fleet_flips, flip_threshold
from tests.aggregation.helpers import VECTORS


class Scripted(np.random.Generator):
    """A generator that answers with given integers, to reach the cases that chance seldom does."""

    def __init__(self, answers: list[list[int]]) -> None:
        super().__init__(np.random.PCG64(0))
        self.answers = [np.array(answer, np.uint64) for answer in answers]

    def integers(self, *args: Any, **kwargs: Any) -> Any:
        return self.answers.pop(0)


@pytest.mark.exact
def test_thresholds() -> None:
    for vector in VECTORS["flip_thresholds"]:
        assert flip_threshold(Decimal(vector["x"])) == int(vector["t"])


@pytest.mark.exact
@pytest.mark.parametrize("x", ["0", "0.0005", "0.001", "1.2345", "16", "30"])
def test_thresholds_are_the_next_integer_at_twice_the_digits(x: str) -> None:
    with localcontext() as context:
        context.prec = 120
        exact = 2**64 / (Decimal(x).exp() + 1)
    assert 0 <= flip_threshold(Decimal(x)) - exact < 1


@pytest.mark.exact
def test_thresholds_do_not_depend_on_the_callers_precision() -> None:
    with localcontext() as context:
        context.prec = 5
        assert flip_threshold.__wrapped__(Decimal("0.25")) == 8076418037615682946


@pytest.mark.exact
@pytest.mark.parametrize("x", ["-1", "NaN", "Infinity"])
def test_a_wrong_exponent_is_refused(x: str) -> None:
    with pytest.raises(ParameterError):
        flip_threshold(Decimal(x))


@pytest.mark.exact
def test_a_tie_of_the_first_byte_is_settled_by_the_other_seven() -> None:
    t = (5 << 56) + 1000
    first_bytes = int.from_bytes(bytes([4, 5, 5, 5, 6, 255, 0, 5]), "little")
    rest = [999, 1000, 2**56 - 1, 0]
    ((part, flips),) = fleet_flips(1, 8, t, Scripted([[first_bytes], rest]))
    assert part == slice(0, 1)
    assert np.unpackbits(flips).tolist() == [1, 1, 0, 0, 0, 0, 1, 1]


@pytest.mark.exact
def test_chunks_cover_every_report_once() -> None:
    parts = list(fleet_flips(1000, 2**13, 2**63, np.random.default_rng(0)))
    assert len(parts) > 3
    assert np.concatenate([np.arange(1000)[part] for part, _ in parts]).tolist() == list(range(1000))
    assert all(flips.shape == (part.stop - part.start, 1024) for part, flips in parts)


def rates(flips: NDArray[np.bool_], t: int) -> None:
    """Fail if the number of ones is one that a Binomial(n, t/2^64) shows with a chance below 1e-6."""
    low, high = binom.ppf([5e-7, 1 - 5e-7], flips.size, t / 2**64)
    assert low <= flips.sum() <= high


@pytest.mark.statistical
@pytest.mark.parametrize("epsilon", ["0.001", "1", "4", "16"])
def test_flip_rates_of_a_fleet(epsilon: str) -> None:
    """Fixed seed; had it been drawn anew, the chance of a false alarm would be 1e-6. At 16 only ties decide."""
    t = flip_threshold(Decimal(epsilon) / 2)
    rng = np.random.default_rng(7)
    rates(np.unpackbits(np.concatenate([flips for _, flips in fleet_flips(4000, 1024, t, rng)])).astype(bool), t)


@pytest.mark.statistical
@pytest.mark.parametrize("epsilon", ["0.001", "4", "16"])
def test_flip_rates_of_a_device(epsilon: str) -> None:
    """The operating system's randomness, so the chance of a false alarm is 1e-6 in every run."""
    t = flip_threshold(Decimal(epsilon) / 2)
    rates(device_flips(1_000_000, t), t)
