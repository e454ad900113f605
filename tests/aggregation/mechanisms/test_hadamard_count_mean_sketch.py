"""Hadamard Count Mean Sketch where it has one right answer."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.linalg import hadamard

from aggregation.encoding import sort_records, unpack_coordinates
from aggregation.errors import ParameterError
from aggregation.mechanisms import HadamardCountMeanSketch, mechanism_for
from aggregation.sketches import QuadraticM31, sign
from tests.aggregation.helpers import (
    BUCKETS,
    VECTORS,
    TableFamily,
    cells,
    hadamard_count_mean,
    zipf_counts,
)

pytestmark = pytest.mark.exact

WORDS = [f"w{i}" for i in range(20)]
POWERS_OF_TWO = [vector for vector in BUCKETS if vector["m"].bit_count() == 1]


def fleet(mechanism: HadamardCountMeanSketch, counts: Any, seed: int = 0) -> Any:
    index = np.repeat(np.arange(len(counts)), counts)
    return mechanism.privatize_fleet(WORDS, index, np.random.default_rng(seed))["element"]


def test_it_is_registered_under_the_report_formats_name() -> None:
    parameters: dict[str, object] = {"epsilon": 4, "k": 1024, "m": 32768, "seed": "0f" * 16}
    mechanism = mechanism_for("HadamardCountMeanSketch", parameters)
    assert mechanism == HadamardCountMeanSketch(mechanism.report_epsilon, 1024, 32768, QuadraticM31(b"\x0f" * 16))
    assert mechanism.encoded_parameters() == {**parameters, "hash": "quadratic-m31-v1"}
    assert mechanism.divisions == 1024
    assert mechanism.record_dtype("element").itemsize == 4
    assert mechanism.report_characters == len("1023,32767,-1")
    assert mechanism.streams == ("element",)
    with pytest.raises(ParameterError, match="no stream"):
        mechanism.record_dtype("fragment")
    with pytest.raises(ParameterError, match="m must be a power of two"):
        mechanism_for("HadamardCountMeanSketch", {**parameters, "m": 30_000})


def test_the_vectors_coordinate() -> None:
    vector = VECTORS["encodings"]["hcms"]
    mechanism = hadamard_count_mean("4", 8, 16)
    streams = mechanism.parse_records([vector["record"]]).streams
    assert mechanism.format_records(streams) == [vector["record"]]
    sketch = cells(mechanism, streams["element"])
    assert sketch[vector["j"], vector["l"]] == sketch.sum() == vector["sign"]


@pytest.mark.parametrize("vector", POWERS_OF_TWO[::30], ids=lambda vector: f"{vector['j']}-{vector['m']}")
def test_a_device_sends_the_sign_of_its_bucket(vector: dict[str, Any]) -> None:
    table = TableFamily([vector["element"]], np.full((1, 1), vector["bucket"], np.uint32))
    mechanism = HadamardCountMeanSketch(hadamard_count_mean("60", 1, 8).epsilon, 1, vector["m"], table)
    for _ in range(10):
        row, coordinate, w = map(int, mechanism.privatize(vector["element"]).split(","))
        assert (row, w) == (0, sign(vector["bucket"], coordinate))


@pytest.mark.parametrize("k", [1, 5, 64, 5000])
def test_without_noise_a_report_counts_one_for_its_bucket_and_cancels_in_others(k: int) -> None:
    mechanism = hadamard_count_mean("60", k, 16)
    counts = zipf_counts(3000, 20)
    records = fleet(mechanism, counts)
    points = mechanism.family.points(WORDS)
    n = len(records)
    rows, coordinates, positive = unpack_coordinates(records, 16)
    truth = np.repeat(np.arange(20), counts)
    buckets = mechanism.family.buckets(points, 0, k, 16)[rows.astype(int)].astype(int)
    signs = hadamard(16)[buckets[np.arange(n), truth], coordinates]
    assert (np.where(positive, 1, -1) == signs).all()
    expected = (signs[:, None] * hadamard(16)[buckets, coordinates[:, None]]).sum(axis=0)
    read_out = mechanism.read_out([sort_records(records)], points, 0, k)[0]
    assert read_out.tolist() == expected.tolist()
    assert mechanism.debiased.estimate(read_out, n) == pytest.approx(16 / 15 * (expected - n / 16), rel=1e-9)


@pytest.mark.parametrize("n", [1, 200])
def test_one_word_only(n: int) -> None:
    """All signs agree in its buckets, whatever the rows and coordinates: the estimate is n itself."""
    mechanism = hadamard_count_mean("60", 9, 8)
    lines: list[Any] = [mechanism.privatize("w0") for _ in range(n)]
    parsed = mechanism.parse_records(lines)
    assert parsed.rejected == []
    points = mechanism.family.points(["w0"])
    for records in (parsed.streams["element"], fleet(mechanism, [n])):
        read_out = mechanism.read_out([sort_records(records)], points, 0, 9)
        assert read_out.tolist() == [[n]]
        assert mechanism.debiased.estimate(read_out[0], n) == pytest.approx(n)
    assert mechanism.debiased.variance(np.array([float(n)]), n, float(n * n)) == pytest.approx(0, abs=1e-9 * n)


@pytest.mark.parametrize(("n", "k", "m"), [(1, 1, 8), (1001, 4, 8), (999_999, 1024, 32768), (10**9, 7, 64)])
@pytest.mark.parametrize("members", [1, 7])
def test_estimates_follow_the_papers_formula(members: int, n: int, k: int, m: int) -> None:
    """Neither n/m cut to an integer nor n taken for the number of hash functions would pass."""
    mechanism = hadamard_count_mean("4", k, m)
    c = Fraction(np.exp(4) + 1) / Fraction(np.exp(4) - 1)
    sums = [0, 1, -n, n // 3, n]
    for s, estimate in zip(sums, mechanism.debiased.estimate(np.array(sums), n, members), strict=True):
        # k·c·w summed over the reports and transformed, divided by k; less n/m for each member.
        expected = Fraction(m, m - 1) * (c * s - members * Fraction(n, m))
        assert estimate == pytest.approx(float(expected), rel=1e-12, abs=1e-9 * n)


def test_variance_by_hand() -> None:
    """1.076 n at ε = 4 and f = 0, as in the literature; an element that all report has no collision left."""
    n = 10**6
    mechanism = hadamard_count_mean("4", 65536, 1024)
    c = (np.exp(4) + 1) / (np.exp(4) - 1)
    variance = mechanism.debiased.variance(np.array([0.0, -50.0, 5.0, 2.0 * n]), n, float(n))
    scale = (1024 / 1023) ** 2 * n
    assert variance[0] == variance[1] == pytest.approx(scale * (c**2 - 1 / 1024) + n / 1023, rel=1e-9)
    assert variance[0] / n == pytest.approx(1.076, abs=0.003)
    assert mechanism.debiased.variance(np.array([1.0 * n]), n, 1.0 * n * n)[0] == pytest.approx(
        scale * (c**2 - 1), rel=1e-6
    )
    single_row = hadamard_count_mean("4", 1, 1024).debiased.variance(np.array([0.0]), n, float(n) ** 2)
    assert single_row[0] == pytest.approx(scale * (c**2 - 1 / 1024) + n**2 / 1023, rel=1e-12)


def test_a_threshold_grows_with_shared_collisions_and_with_members() -> None:
    mechanism = hadamard_count_mean("4", 64, 64)
    alone, shared, dominated = (mechanism.debiased.threshold(10**5, 1e-5, f2) for f2 in (1e5, 1e9, 1e10))
    assert alone < shared < dominated
    assert np.isfinite(hadamard_count_mean("4", 1, 8).debiased.threshold(10**6, 1e-5, 1e12))
    by_members = [mechanism.debiased.threshold(10**5, 1e-5, 1e5, members) for members in (1, 4, 100)]
    assert by_members[1] == pytest.approx(2 * by_members[0], rel=0.05)
    # A hundred members in 64 buckets often share one: more than a hundred times the variance of one.
    assert by_members[2] == pytest.approx((100 + 9900 / 64) ** 0.5 * by_members[0], rel=0.05)
