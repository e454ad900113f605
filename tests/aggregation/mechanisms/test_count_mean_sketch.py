"""Count Mean Sketch where it has one right answer."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from aggregation.encoding import sort_records
from aggregation.mechanisms import CountMeanSketch
from tests.aggregation.helpers import TableFamily, count_mean, zipf_counts

pytestmark = pytest.mark.exact

WORDS = [f"w{i}" for i in range(20)]


def fleet(mechanism: CountMeanSketch, counts: Any, seed: int = 0) -> Any:
    index = np.repeat(np.arange(len(counts)), counts)
    return mechanism.privatize_fleet(WORDS, index, np.random.default_rng(seed))["element"]


@pytest.mark.parametrize("k", [1, 5, 64, 5000])
def test_without_noise_an_estimate_is_off_by_its_collisions_alone(k: int) -> None:
    mechanism = count_mean("60", k, 16)
    counts = zipf_counts(3000, 20)
    records = fleet(mechanism, counts)
    points = mechanism.family.points(WORDS)
    n = len(records)
    read_out = mechanism.read_out([sort_records(records)], points, 0, k)[0]
    truth = np.repeat(np.arange(20), counts)
    buckets = mechanism.family.buckets(points, 0, k, 16)[records["row"].astype(int)]
    hits = (buckets == buckets[np.arange(n), truth][:, None]).sum(axis=0)
    assert read_out.tolist() == hits.tolist()
    assert mechanism.debiased.estimate(read_out, n) == pytest.approx(16 / 15 * (hits - n / 16), rel=1e-9)


def test_a_family_without_collisions_gives_the_counts_themselves() -> None:
    table = np.tile(np.arange(8, dtype=np.uint32), (3, 1))
    mechanism = CountMeanSketch(count_mean("60", 3, 8).epsilon, 3, 8, TableFamily(WORDS[:8], table))
    index = np.repeat(np.arange(8), [5, 0, 0, 7, 0, 0, 0, 88])
    records = sort_records(mechanism.privatize_fleet(WORDS[:8], index, np.random.default_rng(0))["element"])
    read_out = mechanism.read_out([records], mechanism.family.points(WORDS[:8]), 0, 3)
    assert read_out.tolist() == [[5, 0, 0, 7, 0, 0, 0, 88]]


@pytest.mark.parametrize(("n", "k", "m"), [(1, 1, 8), (1001, 4, 8), (999_999, 65536, 1024), (10**9, 7, 64)])
def test_estimates_follow_the_papers_formula(n: int, k: int, m: int) -> None:
    """Neither n/m cut to an integer nor n taken for the number of hash functions would pass."""
    mechanism = count_mean("4", k, m)
    c = Fraction(np.exp(2) + 1) / Fraction(np.exp(2) - 1)
    ones = [0, 1, n // 3, n]
    for s, estimate in zip(ones, mechanism.debiased.estimate(np.array(ones), n), strict=True):
        # k(c/2 v + 1/2) summed over the reports, v = 1 for a one-bit and -1 for a zero, divided by k; less n/m.
        expected = Fraction(m, m - 1) * (c / 2 * (2 * s - n) + Fraction(n, 2) - Fraction(n, m))
        assert estimate == pytest.approx(float(expected), rel=1e-12, abs=1e-9 * n)


def test_a_device_sends_what_the_server_reads() -> None:
    mechanism = count_mean("60", 9, 32)
    for word in WORDS:
        row, _, digits = mechanism.privatize(word).partition(",")
        hot = mechanism.family.bucket(word, int(row), 32)
        assert int(digits, 16) == 1 << (31 - hot)
        assert len(digits) == 8


def test_variance_by_hand() -> None:
    """At f = 0 and k so large that collisions are independent: 0.1817 n at epsilon 4, as in the literature."""
    n = 10**6
    mechanism = count_mean("4", 65536, 1024)
    variance = mechanism.debiased.variance(np.array([0.0, -50.0, 5.0, 2.0 * n]), n, float(n))
    noise = (1024 / 1023) ** 2 * n * np.exp(2) / (np.exp(2) - 1) ** 2
    assert variance[0] == variance[1] == pytest.approx(noise + n / 1023, rel=1e-12)
    assert variance[3] == pytest.approx(noise, rel=1e-12)
    assert variance[0] / n == pytest.approx(0.182, abs=0.001)
    single_row = count_mean("4", 1, 1024).debiased.variance(np.array([0.0]), n, float(n) ** 2)
    assert single_row[0] == pytest.approx(noise + n**2 / 1023, rel=1e-12)


@pytest.mark.parametrize(("n", "k", "m"), [(0, 1, 8), (1000, 7, 64), (10**9, 65536, 1024)])
def test_one_member_is_an_element(n: int, k: int, m: int) -> None:
    mechanism = count_mean("4", k, m)
    read_out = np.array([0, n // 9, n // 2, n])
    estimate, ones = mechanism.debiased.estimate(read_out, n), np.ones(4, np.int64)
    assert mechanism.debiased.estimate(read_out, n, ones).tolist() == estimate.tolist()
    for f2 in (float(n), float(n) ** 2):
        variance = mechanism.debiased.variance(estimate, n, f2, ones)
        assert variance.tolist() == mechanism.debiased.variance(estimate, n, f2).tolist()
        f = np.clip(estimate, 0, n)
        noise = (m / (m - 1)) ** 2 * n * np.exp(2) / (np.exp(2) - 1) ** 2
        collisions = ((n - f) * (1 - 1 / k) + np.maximum(f2 - f**2, 0) / k) / (m - 1)
        assert variance == pytest.approx(noise + collisions, rel=1e-12)


def test_the_variance_of_a_group_by_hand() -> None:
    """Four rows, eight buckets, three members with 10 reports each, and 70 reports of another element."""
    variance = count_mean("4", 4, 8).debiased.variance(np.array([30.0]), 100, 3 * 10.0**2 + 70.0**2, 3)[0]
    noise = (8 / 7) ** 2 * 100 * np.exp(2) / (np.exp(2) - 1) ** 2 * (3 + 3 * 2 / 8)
    # Chances m/(m-1)·1/m of one meeting, by reports: 70² pairs meet 3 members; the members' 10² pairs each meet 2, and
    # the 6 ordered pairs of members meet once for both.
    together = 70**2 * 3 + 3 * 10**2 * 2 + 6 * 10**2
    once = 70 * 3 + 30 * 2
    assert variance == pytest.approx(noise + (once * 3 / 4 + together / 4) / 7, rel=1e-12)


def test_no_variance_of_a_group_is_negative() -> None:
    """Also with an F2 that is less than the count allows."""
    for members in (1, 2, 1000):
        assert (count_mean("16", 1, 8).debiased.variance(np.linspace(-10, 2000, 50), 1000, 0.0, members) >= 0).all()


@pytest.mark.parametrize("members", [2, 40, 3000])
def test_the_threshold_of_a_group_is_a_widened_quantile(members: int) -> None:
    n, m = 10**5, 64
    mechanism = count_mean("4", 65536, m)
    threshold = mechanism.debiased.threshold(n, 1e-4, float(n), members)
    deviation = np.sqrt(mechanism.debiased.variance(np.array([0.0]), n, float(n), members)[0])
    assert threshold == pytest.approx(norm.isf(1e-4) * deviation, rel=0.01)
    assert members * n > 10**8 or threshold < members * mechanism.debiased.threshold(n, 1e-4, float(n))


def test_a_threshold_grows_with_shared_collisions() -> None:
    mechanism = count_mean("4", 64, 64)
    alone, shared, dominated = (mechanism.debiased.threshold(10**5, 1e-5, f2) for f2 in (1e5, 1e9, 1e10))
    assert alone < shared < dominated
    assert dominated > alone * (1 + 1e10 / (64 * 63) / (0.2 * 1e5)) ** 0.5
    whole_range = count_mean("4", 1, 8).debiased.threshold(10**6, 1e-5, 1e12)
    assert np.isfinite(whole_range)
