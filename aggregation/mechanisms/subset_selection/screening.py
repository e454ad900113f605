"""Tests of whether subsets are honest, and bounds of what fakes can do."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Integers
from ...screening import (
    Count,
    Effect,
    Finding,
    MissingNoise,
    blocks,
    bounded,
    count_repeats,
    judge_most_repeated,
    judge_repeats,
    of_counts,
)
from .mechanism import SubsetSelection
from .members import log_subsets, members_in_subset
from .sums import log_upper_tail


@dataclass(frozen=True)
class _Summary:
    """Summary of n subsets: how many have each element, and so many elements of each of some halves of the dictionary.

    ``halves[b, x]`` subsets have x elements whose number has the bit b. ``repeats`` records equal the one before; one
    occurs ``most_repeated`` times.
    """

    n: int
    counts: Integers
    halves: Integers
    repeats: int
    most_repeated: int


def outcomes(mechanism: SubsetSelection, streams: Mapping[str, Array]) -> list[Finding]:
    found: list[Finding] = []
    for stream, records in streams.items():
        summary = _summarize(mechanism, records)
        found += [
            _indexes(mechanism, stream, summary, rare=True),
            _indexes(mechanism, stream, summary, rare=False),
            judge_most_repeated(stream, summary.n, summary.most_repeated, lambda r: _log_chance_of_equal(mechanism, r)),
            judge_repeats(stream, summary.n, summary.repeats, likeliest_record(mechanism)),
        ]
        if mechanism.w > 1:
            found.append(_halves(mechanism, stream, summary))
    return found


def likeliest_record(mechanism: SubsetSelection) -> float:
    """Return p/C(D-1, w-1): that of a subset with the own element."""
    return mechanism.own * math.exp(-log_subsets(mechanism.size - 1, mechanism.w - 1))


def kinds_of_record(mechanism: SubsetSelection) -> list[tuple[int, float]]:
    """Return the numbers of subsets with and without the own element, and the probability of each such subset."""
    with_own, without = (math.comb(mechanism.size - 1, w) for w in (mechanism.w - 1, mechanism.w))
    return [(with_own, mechanism.own / with_own), (without, (1 - mechanism.own) / without)]


def cells(mechanism: SubsetSelection) -> list[tuple[int, float]]:
    """Return one: nothing is drawn that does not depend on the element."""
    return [(1, 1.0)]


def effect(mechanism: SubsetSelection) -> Effect:
    """Return what one fake subset does: it adds (1-q)/(p-q) to the estimates of w elements, and -q/(p-q) to others."""
    q = mechanism.debiased.foreign
    return Effect((1 - q) / (mechanism.own - q), q / (mechanism.own - q), mechanism.w)


def missing_noise(mechanism: SubsetSelection, alpha: float) -> MissingNoise:
    """Return that lies are missed where an element has more than p of all reports.

    Otherwise, as long as no element has fewer than q, honest devices with other shares could have sent the same,
    however many reports there are.
    """
    return MissingNoise(mechanism.own, None)


def _summarize(mechanism: SubsetSelection, records: Array) -> _Summary:
    size, w = mechanism.size, mechanism.w
    counts, halves = np.zeros(size, np.int64), np.zeros(((size - 1).bit_length(), w + 1), np.int64)
    for indexes in mechanism.unpacked(records):
        counts += np.bincount(indexes.ravel(), minlength=size)
        for bit in range(len(halves)):
            halves[bit] += np.bincount((indexes >> bit & 1).sum(axis=1), minlength=w + 1)
    same = []
    for _start, block in blocks(records):
        words = block.view(np.uint32).reshape(len(block), -1)
        same.append((words[1:] == words[:-1]).all(axis=1))
    return _Summary(len(records), counts, halves, *count_repeats(same))


def _indexes(mechanism: SubsetSelection, stream: str, summary: _Summary, *, rare: bool) -> Finding:
    """Test the g least frequent elements together, or the g most frequent, for g = 1, 2, 4, …

    Each report has stochastically at least as many elements of any group as one about another element, and at most as
    many as one about a member; so the sums over n reports are, and their tails are exact where all reports are so.
    There are C(D, g) groups.
    """
    size, w, n = mechanism.size, mechanism.w, summary.n
    ordered = np.sort(summary.counts)
    if not rare:
        ordered = ordered[::-1]
    sums, groups = np.cumsum(ordered), [1 << level for level in range((size // 2).bit_length())]
    worst, facts = math.inf, {}
    for g in groups:
        chances, seen = members_in_subset(size, w, mechanism.own, g, inside=not rare), int(sums[g - 1])
        tail = log_upper_tail(chances[::-1], n, n * w - seen) if rare else log_upper_tail(chances, n, seen)
        exponent = tail + log_subsets(size, g) + math.log(len(groups))
        if exponent < worst:
            worst = exponent
            facts = {"seen": seen, "expected": n * float(chances @ np.arange(w + 1)), "records": n, "elements": g}
    return Finding("rare_indexes" if rare else "frequent_indexes", stream, bounded(math.exp(min(0.0, worst))), facts)


def _halves(mechanism: SubsetSelection, stream: str, summary: _Summary) -> Finding:
    """Test how many subsets have just so many elements whose number has a bit: too regular ones agree in that."""
    size, w, n = mechanism.size, mechanism.w, summary.n
    counts = []
    for bit, of_bit in enumerate(summary.halves):
        members = int((np.arange(size) >> bit & 1).sum())
        chances = np.maximum(
            *(members_in_subset(size, w, mechanism.own, members, inside=inside) for inside in (True, False))
        )
        for x, (seen, chance) in enumerate(zip(of_bit.tolist(), chances.tolist(), strict=True)):
            facts = {"seen": seen, "expected": n * chance, "records": n, "elements": x}
            counts.append(Count(seen, n, min(chance, 1.0), summary.halves.size, facts))
    return of_counts("regular_subsets", stream, counts)


def _log_chance_of_equal(mechanism: SubsetSelection, r: int) -> float:
    """Return the log of the most that r given reports are all equal with: if all are about one element.

    Σ_S Π P(S|i) ≤ max_i Σ_S P(S|i)^r (Hölder), and that is p^r/C(D-1, w-1)^(r-1) + (1-p)^r/C(D-1, w)^(r-1).
    """
    size, w, p = mechanism.size, mechanism.w, mechanism.own
    own = r * math.log(p) - (r - 1) * log_subsets(size - 1, w - 1)
    foreign = r * math.log1p(-p) - (r - 1) * log_subsets(size - 1, w)
    return float(np.logaddexp(own, foreign))
