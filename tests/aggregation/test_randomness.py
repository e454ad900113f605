"""Flip thresholds, and flips with exactly their probability."""

import itertools
from collections import Counter
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from aggregation.errors import ParameterError
from aggregation.randomness import (
    device_below,
    device_flip,
    device_flips,
    device_shuffle,
    fleet_flips,
    flip_threshold,
    lie_threshold,
)
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
def test_thresholds_of_lies() -> None:
    for vector in VECTORS["lie_thresholds"]:
        assert lie_threshold(Decimal(vector["epsilon"]), 1, vector["g"] - 1) == int(vector["t"])
    for vector in VECTORS["exclusion_thresholds"]:
        w = vector["w"]
        assert lie_threshold(Decimal(vector["epsilon"]), w, vector["size"] - w) == int(vector["t"])


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
        assert lie_threshold.__wrapped__(Decimal("0.25"), 1, 1) == 8076418037615682946


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


class Drawn:
    """Stands in for os.urandom, with given bytes in turn."""

    def __init__(self, *answers: bytes) -> None:
        self.answers = list(answers)

    def __call__(self, size: int) -> bytes:
        answer = self.answers.pop(0)
        assert len(answer) == size
        return answer


def eight(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(8, "little") for number in numbers)


@pytest.mark.exact
def test_ties_of_a_device_are_settled_by_56_bits_more(monkeypatch: pytest.MonkeyPatch) -> None:
    t = (5 << 56) + 1000
    rest = eight(999 << 8 | 255, 1000 << 8, 2**64 - 1, 255)
    monkeypatch.setattr("os.urandom", Drawn(bytes([4, 5, 5, 5, 6, 255, 0, 5]), rest))
    assert device_flips(8, t).tolist() == [True, True, False, False, False, False, True, True]


@pytest.mark.exact
def test_a_single_flip_compares_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    t = (5 << 56) + 1000
    monkeypatch.setattr("os.urandom", Drawn(eight(t - 1), eight(t), eight(0), eight(2**64 - 1)))
    assert [device_flip(t) for _ in range(4)] == [True, False, True, False]


@pytest.mark.exact
@pytest.mark.parametrize(
    ("n", "draws", "expected"),
    [
        (1, [2**64 - 1], 0),
        (3, [2**64 - 1, 2**64 - 2], (2**64 - 2) % 3),
        (3, [0], 0),
        (1024, [2**64 - 1], 1023),
        (2**63 + 1, [2**63 + 1, 2**64 - 1, 2**63], 2**63),
        (2**64, [2**64 - 1], 2**64 - 1),
    ],
)
def test_numbers_below_are_not_taken_from_the_uneven_rest(
    n: int, draws: list[int], expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = Drawn(*[eight(number) for number in draws])
    monkeypatch.setattr("os.urandom", drawn)
    assert device_below(n) == expected
    assert drawn.answers == []


@pytest.mark.exact
@pytest.mark.parametrize("n", [0, -1, 2**64 + 1])
def test_there_is_no_number_below_nothing(n: int) -> None:
    with pytest.raises(ValueError, match="n must be from 1"):
        device_below(n)


@pytest.mark.statistical
def test_numbers_and_orders_of_a_device_are_uniform() -> None:
    """The operating system's randomness: the chance of a false alarm is 1e-6 for each of 7 numbers and 24 orders."""
    low, high = binom.ppf([5e-7, 1 - 5e-7], 7000, 1 / 7)
    counts = Counter(device_below(7) for _ in range(7000))
    assert set(counts) == set(range(7))
    assert all(low <= count <= high for count in counts.values())
    orders: Counter[tuple[int, ...]] = Counter()
    for _ in range(6000):
        items = list(range(4))
        device_shuffle(items)
        orders[tuple(items)] += 1
    low, high = binom.ppf([5e-7, 1 - 5e-7], 6000, 1 / 24)
    assert set(orders) == set(itertools.permutations(range(4)))
    assert all(low <= count <= high for count in orders.values())


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
