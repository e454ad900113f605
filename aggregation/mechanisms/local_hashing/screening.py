"""Tests of whether rows and buckets are honest, and bounds of what fakes can do."""

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from ...arrays import Array, Integers
from ...estimation import upper_quantile
from ...screening import (
    Count,
    Effect,
    Finding,
    MissingNoise,
    bounded,
    judge_agreement,
    judge_evenness,
    judge_occupancy,
    summarize_buckets,
)
from .mechanism import LocalHashing

# Elements are points of 62 bits. That the seed gives any of them more of a bucket than is allowed for has this chance.
_POINTS: Final = 2.0**62
_UNLUCKY_SEED: Final = 1e-12
# By so much buckets of a family may be likelier than 1/g, because p is no multiple of g.
_ROUNDING: Final = 2.0**-31


def outcomes(mechanism: LocalHashing, streams: Mapping[str, Array]) -> list[Finding]:
    return [found for stream, records in streams.items() for found in judge_buckets(stream, records, mechanism)]


def judge_buckets(stream: str, records: Array, mechanism: LocalHashing) -> list[Finding]:
    """Return the outcomes of all tests of sorted buckets, at least one."""
    k, g, (p, q) = mechanism.k, mechanism.g, mechanism.debiased.support
    summary = summarize_buckets(records, k, g)
    n = summary.n
    # Whatever a device saw, it names a cell with a probability of p/k at most.
    fullest = Count(summary.fullest_cell, n, p / k, k * g)
    facts = {"seen": summary.fullest_cell, "expected": n * p / k, "records": n}
    return [
        judge_evenness("uneven_rows", stream, summary.rows, k),
        judge_occupancy("rows_in_use", stream, len(summary.rows.index), n, k),
        _judge_evenness_of_buckets(stream, summary.buckets, mechanism),
        Finding("crowded_cell", stream, fullest.chance(), facts),
        judge_agreement("agreeing_buckets", stream, summary.pairs, p**2 + (g - 1) * q**2),
    ]


def shares_of_a_bucket(k: int, g: int) -> tuple[float, float]:
    """Return in which part of the rows an element has a bucket, at least and at most, whatever element and bucket.

    Notes
    -----
    Rows hash independently, so that a bucket is an element's own in Binomial(k, 1/g) rows. All 2^62 points and g
    buckets keep within these bounds but for a chance of 1e-12 that a seed is drawn with which one does not.
    """
    tail = _UNLUCKY_SEED / (2 * _POINTS * g)
    most = upper_quantile(k, min(1 / g + _ROUNDING, 0.5), tail) - 1
    least = k - upper_quantile(k, min(1 - 1 / g + _ROUNDING, 1 - 1 / (2 * g)), tail) + 1
    return max(least, 0) / k, min(most, k) / k


def likeliest_record(mechanism: LocalHashing) -> float:
    return mechanism.debiased.support[0] / mechanism.k


def kinds_of_record(mechanism: LocalHashing) -> list[tuple[int, float]]:
    """Return the numbers of rows with the own bucket and with another, and the probability of each such record."""
    k, g, (p, q) = mechanism.k, mechanism.g, mechanism.debiased.support
    return [(k, p / k), (k * (g - 1), q / k)]


def cells(mechanism: LocalHashing) -> list[tuple[int, float]]:
    return [(mechanism.k, 1 / mechanism.k)]


def effect(mechanism: LocalHashing) -> Effect:
    """Return what one fake bucket does: a report adds (1[y is the bucket of d] - 1/g)/(p - 1/g) to f̂(d).

    Of a set of so many elements, one of the k rows is expected to have all in one bucket: k·g^(1 - size) ≥ 1.
    """
    k, g, (p, _) = mechanism.k, mechanism.g, mechanism.debiased.support
    step = 1 / (p - 1 / g)
    return Effect((1 - 1 / g) * step, step / g, 1 + math.floor(math.log(k) / math.log(g)))


def missing_noise(mechanism: LocalHashing, alpha: float) -> MissingNoise:
    """Return when buckets that are never lies are found.

    Notes
    -----
    Those of one row agree with probability 1/g + F2·(1 - 1/g), F2 being the sum of squared shares, and honest ones with
    at most 1/g + (p-q)²·(1 - 1/g). Whatever is rarer looks like honest reports about more frequent elements.
    """
    p, q = mechanism.debiased.support
    return MissingNoise(p - q, None)


def _judge_evenness_of_buckets(stream: str, buckets: Integers, mechanism: LocalHashing) -> Finding:
    """Test whether a bucket, over all rows, is named more often or more seldom than any element makes it.

    An element that has a bucket in a share s of the rows makes it Binomial(n, q + (p-q)·s), and `shares_of_a_bucket`
    bounds s.
    """
    n, g, (p, q) = int(buckets.sum()), mechanism.g, mechanism.debiased.support
    least, most = (q + (p - q) * share for share in shares_of_a_bucket(mechanism.k, g))
    counts = []
    for bucket, chance, many in ((int(np.argmax(buckets)), most, True), (int(np.argmin(buckets)), least, False)):
        seen = int(buckets[bucket])
        facts = {"seen": seen, "bucket": bucket, "expected": n / g, "bound": n * chance, "records": n}
        counts.append(Count(seen, n, chance, 2 * g, facts) if many else Count(n - seen, n, 1 - chance, 2 * g, facts))
    found = min(counts, key=Count.log_bound)
    return Finding("uneven_buckets", stream, bounded(found.chance() + _UNLUCKY_SEED), found.facts)
