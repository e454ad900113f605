"""Buckets that honest devices would not name: what is found, by which test, and what nothing can find."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom

from aggregation.encoding import pack_buckets, sort_records, unpack_buckets
from aggregation.mechanisms import LocalHashing
from aggregation.mechanisms.local_hashing.screening import shares_of_a_bucket
from aggregation.screening import FALSE_ALARM_RATE, effect_of_fakes, missing_noise, screen, summarize_buckets
from aggregation.screening import summaries as summaries_module
from tests.aggregation.helpers import random_buckets
from tests.aggregation.screening.attacks import FRUITS, Streams, buckets, honest, mixed


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(15)


def flagged(mechanism: LocalHashing, *streams: Streams) -> set[str]:
    return {finding.test for finding in screen(mechanism, mixed(*streams))}


def batch(mechanism: LocalHashing, rows: object, sent: object) -> Streams:
    return {"element": sort_records(pack_buckets(np.asarray(rows), np.asarray(sent), mechanism.g))}


def true_buckets(mechanism: LocalHashing, n: int, rng: np.random.Generator, share: float) -> Streams:
    """Return reports of n devices that never lie: a share saw one element, and each of the others one of its own."""
    common = round(share * n)
    seen = np.maximum(np.arange(n) - common + 1, 0)
    rows = rng.integers(0, mechanism.k, n)
    points = mechanism.family.points([f"e{number}" for number in range(n - common + 1)])
    return batch(mechanism, rows, mechanism.family.buckets_of_pairs(points, seen, rows, mechanism.g))


@pytest.mark.exact
@pytest.mark.parametrize("block_bytes", [4, 100, 2**19])
@pytest.mark.parametrize("n", [1, 2, 500])
def test_a_summary_is_that_of_counting_one_by_one(
    n: int, block_bytes: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summaries_module, "_BLOCK_BYTES", block_bytes)
    k, g = 7, 5
    records = sort_records(random_buckets(rng, n, k, g))
    rows, sent = (column.tolist() for column in unpack_buckets(records, g))
    summary = summarize_buckets(records, k, g)
    assert summary.n == n
    assert dict(zip(summary.rows.index.tolist(), summary.rows.count.tolist(), strict=True)) == Counter(rows)
    assert summary.buckets.tolist() == [sent.count(bucket) for bucket in range(g)]
    assert summary.fullest_cell == max(Counter(zip(rows, sent, strict=True)).values())
    agreeing, matched = 0.0, 0
    for row in set(rows):
        own = [bucket for each, bucket in zip(rows, sent, strict=True) if each == row]
        pairs = list(combinations(own, 2))
        matched += len(own) // 2
        agreeing += len(own) // 2 * sum(a == b for a, b in pairs) / max(len(pairs), 1)
    assert summary.pairs.pairs == matched
    assert summary.pairs.agreeing == pytest.approx(agreeing)


@pytest.mark.exact
@pytest.mark.parametrize(("k", "g"), [(2, 2), (64, 56), (65_536, 56), (65_536, 2)])
def test_the_share_of_a_bucket_is_bounded_for_all_elements(k: int, g: int) -> None:
    """2^62 points and g buckets: none is outside but for a chance of 1e-12, by exact binomial tails."""
    least, most = shares_of_a_bucket(k, g)
    assert 0 <= least <= 1 / g <= most <= 1
    allowed = 1e-12 / (2 * 2.0**62 * g)
    assert binom.sf(round(most * k), k, 1 / g) <= allowed
    assert binom.cdf(round(least * k) - 1, k, 1 / g) <= allowed
    if k == 65_536:
        assert most < (1.4 if g == 56 else 1.06) / g


@pytest.mark.statistical
def test_buckets_of_a_common_element_without_lies(rng: np.random.Generator) -> None:
    for epsilon, n in ((1, 12_000), (2, 3000), (4, 3000)):
        mechanism = buckets(epsilon)
        assert flagged(mechanism, true_buckets(mechanism, n, rng, 1.0)) >= {"agreeing_buckets"}
        assert not flagged(mechanism, honest(mechanism, n, rng, FRUITS[:1]))


@pytest.mark.statistical
def test_too_few_lies(rng: np.random.Generator) -> None:
    fakes = honest(LocalHashing(4, 1024, 8, buckets(2).family), 12_000, rng, FRUITS[:1])
    assert flagged(buckets(2), fakes) == {"agreeing_buckets"}


@pytest.mark.statistical
@pytest.mark.parametrize("epsilon", [1, 2, 4])
def test_missing_lies_are_found_where_an_element_is_common_enough_and_nowhere_else(
    epsilon: int, rng: np.random.Generator
) -> None:
    """Rare elements are noise: honest devices that saw more of the common one send the same."""
    mechanism = buckets(epsilon)
    missing = missing_noise(mechanism, FALSE_ALARM_RATE)
    assert missing is not None
    assert missing.reports is None
    e = math.exp(epsilon)
    assert missing.share == pytest.approx((e - 1) / (e + mechanism.g - 1))
    assert flagged(mechanism, true_buckets(mechanism, 40_000, rng, min(1.3 * missing.share, 1))) == {"agreeing_buckets"}
    assert not flagged(mechanism, true_buckets(mechanism, 40_000, rng, 0.95 * missing.share))


@pytest.mark.statistical
def test_crafted_rows_and_buckets(rng: np.random.Generator) -> None:
    mechanism, rows = buckets(4), rng.integers(0, 1024, 1500)
    around = honest(mechanism, 3000, rng)
    crafted = {
        "uneven_rows": batch(mechanism, np.full(150, 7), rng.integers(0, 56, 150)),
        "uneven_buckets": batch(mechanism, rows, np.full(1500, 3)),
        "crowded_cell": batch(mechanism, np.full(30, 7), np.full(30, 3)),
    }
    for test, fakes in crafted.items():
        assert test in flagged(mechanism, around, fakes)
    dealt = batch(mechanism, np.arange(1024), rng.integers(0, 56, 1024))
    assert flagged(mechanism, dealt) == {"rows_in_use"}


@pytest.mark.statistical
def test_a_bucket_that_is_never_named(rng: np.random.Generator) -> None:
    mechanism = buckets(2, k=65_536)
    rows = rng.integers(0, mechanism.k, 20_000)
    assert flagged(mechanism, batch(mechanism, rows, rng.integers(1, mechanism.g, 20_000))) == {"uneven_buckets"}


@pytest.mark.statistical
def test_a_record_sent_again_and_again(rng: np.random.Generator) -> None:
    mechanism = buckets(4)
    around = honest(mechanism, 3000, rng)
    again = {"element": np.repeat(around["element"][100:101], 30)}
    assert "crowded_cell" in flagged(mechanism, around, again)


@pytest.mark.exact
def test_a_crafted_report_raises_several_elements_of_its_choice() -> None:
    """Some row has so many given elements in one bucket, if any of k·g^(1 - number) is expected to."""
    mechanism = buckets(4, k=65_536)
    effect = effect_of_fakes(mechanism)
    assert effect.at_once == 3
    assert effect.raised == pytest.approx(2.0, abs=0.05)
    found = mechanism.family.buckets(mechanism.family.points(FRUITS), 0, mechanism.k, mechanism.g)
    assert ((found == found[:, :1]).all(axis=1)).any()
