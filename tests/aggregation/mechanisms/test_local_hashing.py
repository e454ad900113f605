"""Local hashing where it has one right answer."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from aggregation.encoding import sort_records, unpack_buckets
from aggregation.errors import ParameterError
from aggregation.mechanisms.local_hashing import LocalHashing
from aggregation.mechanisms.local_hashing.parameters import best_buckets
from aggregation.sketches import QuadraticM31
from tests.aggregation.helpers import BUCKETS, VECTORS, TableFamily, cells, local_hashing, zipf_counts

pytestmark = pytest.mark.exact

WORDS = [f"w{i}" for i in range(20)]
GOOD: dict[str, Any] = {"epsilon": 4, "k": 1024, "g": 56, "seed": "0f" * 16}


def fleet(mechanism: LocalHashing, counts: Any, seed: int = 0) -> Any:
    index = np.repeat(np.arange(len(counts)), counts)
    return mechanism.privatize_fleet(WORDS, index, np.random.default_rng(seed))["element"]


def test_its_parameters_are_those_of_the_report_format() -> None:
    mechanism = LocalHashing.from_parameters(GOOD)
    assert mechanism == LocalHashing(4, 1024, 56, QuadraticM31(b"\x0f" * 16))
    assert mechanism.encoded_parameters() == {**GOOD, "hash": "quadratic-m31-v1"}
    assert (mechanism.divisions, mechanism.report_bytes, mechanism.streams) == (1024, 4, ("element",))
    assert mechanism.report_characters == len("1023,55")
    with pytest.raises(ParameterError, match="no stream"):
        mechanism.record_dtype("fragment")
    for name, value in (("g", 1), ("g", 2**16 + 1), ("g", 56.0), ("g", True), ("k", 1), ("k", 2**16 + 1), ("m", 56)):
        with pytest.raises(ParameterError) as caught:
            LocalHashing.from_parameters({**GOOD, name: value})
        assert caught.value.field == name
    for name in ("g", "k"):
        for value in (2, 2**16):
            assert LocalHashing.from_parameters({**GOOD, name: value}).encoded_parameters()[name] == value


def test_the_best_number_of_buckets() -> None:
    numbers = {0.001: 2, 0.5: 3, 1: 4, 2: 8, 4: 56, 8: 2982, 16: 65_536}
    assert {epsilon: best_buckets(epsilon) for epsilon in numbers} == numbers
    for epsilon, best in list(numbers.items())[2:6]:
        variances = {
            g: local_hashing(str(epsilon), 2**16, g).debiased.variance(np.zeros(1), 10**6, 1e6)[0]
            for g in (best - 1, best, best + 1)
        }
        assert min(variances, key=variances.__getitem__) == best


def test_the_vectors_record() -> None:
    vector = VECTORS["encodings"]["local_hashing"]
    mechanism = local_hashing("4", 8, 56)
    streams = mechanism.parse_records([vector["record"]]).streams
    assert mechanism.format_records(streams) == [vector["record"]]
    sketch = cells(mechanism, streams["element"])
    assert sketch[vector["j"], vector["y"]] == sketch.sum() == 1


@pytest.mark.parametrize("vector", BUCKETS[::40], ids=lambda vector: f"{vector['j']}-{vector['m']}")
def test_a_device_that_does_not_lie_sends_its_bucket(vector: dict[str, Any]) -> None:
    table = TableFamily([vector["element"]], np.full((2, 1), vector["bucket"], np.uint32))
    mechanism = LocalHashing(60, 2, min(vector["m"], 2**16), table)
    for _ in range(10):
        row, bucket = map(int, mechanism.privatize(vector["element"]).split(","))
        assert (row in {0, 1}, bucket) == (True, vector["bucket"] % mechanism.g)


@pytest.mark.parametrize("g", [2, 3, 56])
def test_a_device_draws_as_the_report_format_says(g: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row, whether it lies, and which of the others: each from 64 bits, the last only where it is needed."""
    mechanism = LocalHashing(4, 8, g, TableFamily(["a"], np.full((8, 1), g - 1, np.uint32)))
    t = mechanism.lie_threshold
    drawn: list[int] = []
    monkeypatch.setattr("os.urandom", lambda size: drawn.pop(0).to_bytes(size, "little"))
    for draws, line in (([5, t], f"5,{g - 1}"), ([5, t - 1, 0], "5,0"), ([5, 0, g - 2], f"5,{g - 2}")):
        drawn[:] = draws
        assert mechanism.privatize("a") == line
        assert drawn == []


@pytest.mark.parametrize("k", [2, 5, 64, 5000])
def test_without_lies_a_read_out_counts_who_shares_the_bucket(k: int) -> None:
    mechanism = local_hashing("60", k, 13)
    counts = zipf_counts(3000, 20)
    records = fleet(mechanism, counts)
    n, points = len(records), mechanism.family.points(WORDS)
    read_out = mechanism.read_out([sort_records(records)], points, 0, k)[0]
    rows, sent = unpack_buckets(records, 13)
    buckets = mechanism.family.buckets(points, 0, k, 13)[rows.astype(int)]
    assert (sent == buckets[np.arange(n), np.repeat(np.arange(20), counts)]).all()
    supported = (buckets == sent[:, None]).sum(axis=0)
    assert read_out.tolist() == supported.tolist()
    state = mechanism.empty_state()
    mechanism.add_to_state(state, {"element": sort_records(records)})
    assert mechanism.read_state(state, points).tolist() == supported.tolist()
    assert mechanism.debiased.estimate(read_out, n) == pytest.approx(13 / 12 * (supported - n / 13), rel=1e-9)


@pytest.mark.parametrize(("n", "k", "g"), [(1, 2, 2), (1001, 4, 3), (999_999, 1024, 56), (10**9, 7, 2982)])
@pytest.mark.parametrize("members", [1, 7])
def test_estimates_follow_the_formula(members: int, n: int, k: int, g: int) -> None:
    mechanism = local_hashing("4", k, g)
    p = Fraction(math.exp(4)) / (Fraction(math.exp(4)) + g - 1)
    supports = [0, 1, n // 3, n]
    for s, estimate in zip(supports, mechanism.debiased.estimate(np.array(supports), n, members), strict=True):
        expected = (s - members * Fraction(n, g)) / (p - Fraction(1, g))
        assert estimate == pytest.approx(float(expected), rel=1e-12, abs=1e-9 * n)


def test_variance_by_hand() -> None:
    n, k, g, f2 = 10**6, 1024, 56, 3e10
    p = math.exp(4) / (math.exp(4) + g - 1)
    f = np.array([0.0, -50.0, 5000.0, 1.0 * n])
    own = np.clip(f, 0, n)
    null = 1 / g * (1 - 1 / g)
    together = np.maximum(f2, own**2) - own**2 - (n - own)
    expected = (n * null + own * (p * (1 - p) - null)) / (p - 1 / g) ** 2 + together / (k * (g - 1))
    variance = local_hashing("4", k, g).debiased.variance(f, n, f2)
    assert variance == pytest.approx(expected, rel=1e-12)
    assert local_hashing("4", 2**16, g).debiased.variance(np.zeros(1), n, float(n))[0] / n == pytest.approx(
        0.0760, abs=1e-4
    )


def test_a_threshold_grows_with_shared_collisions_and_with_members() -> None:
    estimator = local_hashing("4", 64, 56).debiased
    alone, shared, dominated = (estimator.threshold(10**5, 1e-5, f2) for f2 in (1e5, 1e9, 1e10))
    assert alone < shared < dominated
    assert np.isfinite(local_hashing("4", 2, 2).debiased.threshold(10**6, 1e-5, 1e12))
    one, *several = (estimator.threshold(10**5, 1e-5, 1e5, members) for members in (1, 4, 100))
    # No more than √members: collisions that members share do not widen the sum of an unreported group.
    assert several == pytest.approx([2 * one, 10 * one], rel=0.02)


def test_a_sketch_in_memory_has_a_limit_of_cells_and_a_read_out_has_none() -> None:
    mechanism = local_hashing("16", 2**16, 2**16)
    with pytest.raises(ParameterError, match="k may be at most 4096, not 65536") as caught:
        mechanism.empty_state()
    assert caught.value.field == "k"
    records = sort_records(fleet(mechanism, [3]))
    assert mechanism.read_out([records], mechanism.points(WORDS[:1]), 0, 2**16)[0, 0] <= 3
