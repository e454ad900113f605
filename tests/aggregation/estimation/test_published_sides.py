"""Differences of published histograms, of several locales judged together as a page shows them.

All seeds are fixed; a statistical test fails by chance with a probability of 1e-6.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.estimation import (
    Differences,
    Estimator,
    PublishedSide,
    Side,
    benjamini_hochberg,
    compare,
    summarize,
)
from benchmarks.false_discoveries import ALPHA, CMS, ELEMENTS, HCMS, LEVEL, Situation, pairs
from tests.aggregation.helpers import Z_MILLIONTH, count_mean, read_out_of


def publish(estimator: Estimator, side: Side) -> PublishedSide:
    """Return what is published of a side, in the elements of all of its dictionary."""
    found = summarize(estimator, side.read_out, side.n, ALPHA)
    return published(found.estimate, found.threshold, found.n, found.f2)


def published(estimate: NDArray[np.float64], threshold: float, n: int, f2: float) -> PublishedSide:
    above = estimate >= threshold
    return PublishedSide(np.where(above, estimate, 0.0), above, n, threshold, f2, size=len(estimate))


def compare_published(
    estimator: Estimator, first: PublishedSide, second: PublishedSide
) -> tuple[Differences, NDArray[np.int64]]:
    """Compare two published histograms in the elements that either of them lists."""
    listed = np.flatnonzero(first.above | second.above)
    sides = (replace(side, count=side.count[listed], above=side.above[listed]) for side in (first, second))
    return compare(estimator, *sides, alpha=ALPHA, size=first.size), listed


@pytest.mark.exact
def test_published_histograms_say_what_their_read_outs_say() -> None:
    situation = Situation(CMS, 8, 1000, 3000, 0, 20, 0.02, different=True)
    one, other, _shared = pairs(situation, situation.mechanism, 1, np.random.default_rng(1))
    sides, estimator = (Side(one[0], 1000), Side(other[0], 3000)), situation.mechanism.debiased
    whole = compare(estimator, *sides, alpha=ALPHA)
    found, listed = compare_published(estimator, *(publish(estimator, side) for side in sides))
    assert listed.tolist() == np.flatnonzero(whole.listed).tolist()
    assert np.isnan(found.difference).any()
    for field in ("difference", "lower", "upper", "p_values"):
        assert np.allclose(getattr(found, field), getattr(whole, field)[listed], rtol=1e-9, equal_nan=True), field
    assert (found.bound_first, found.bound_second) == pytest.approx((whole.bound_first, whole.bound_second))


@pytest.mark.exact
def test_stacked_sides_are_compared_as_each_pair_is() -> None:
    estimator = count_mean("7", 64, 64).debiased
    pairs_of_sides = []
    for count in ([300.0, 0.0, 90.0], [70.0], [0.0, 500.0]):
        first = published(np.array(count), 60.0, 2000, 2e5)
        pairs_of_sides.append((first, published(np.array(count[::-1]) * 2, 80.0, 3000, 5e5)))
    firsts, seconds = zip(*pairs_of_sides, strict=True)
    size = np.array([[50], [60], [70]])
    found = compare(estimator, PublishedSide.stacked(firsts), PublishedSide.stacked(seconds), alpha=ALPHA, size=size)
    for row, (first, second) in enumerate(pairs_of_sides):
        alone = compare(estimator, first, second, alpha=ALPHA, size=int(size[row, 0]))
        for field in ("difference", "lower", "upper", "p_values", "direction"):
            assert np.array_equal(getattr(found, field)[row, : len(first.count)], getattr(alone, field), equal_nan=True)
        assert found.bound_first[row, 0] == alone.bound_first


# Locales of a page: shares near T and well above, sides of one size and of two, and two kinds of noise.
LOCALES = (
    Situation(CMS, 8, 2000, 2000, 0, 20, 0.014),
    Situation(CMS, 8, 500, 10_000, 0, 30, 0.012),
    Situation(CMS, 4, 4000, 4000, 0, 20, 0.035),
    Situation(HCMS, 4, 4000, 8000, 0, 10, 0.08),
)
# Standard errors by which one element of one locale really changes.
PLANTED = 5
PAGES = 200
Histograms: TypeAlias = list[PublishedSide]


def histograms(situation: Situation, rng: np.random.Generator) -> tuple[Histograms, Histograms]:
    """Return both sides of so many pages; threshold and F2 are what they are on average."""
    estimator, sides = situation.mechanism.debiased, []
    drawn = pairs(situation, situation.mechanism, PAGES, rng)
    for read_outs, n, shares in zip(drawn[:2], (situation.n1, situation.n2), situation.shares(), strict=True):
        f2 = float((shares**2).sum()) * n**2
        threshold = estimator.threshold(n, ALPHA / ELEMENTS, f2)
        sides.append([published(estimator.estimate(each, n), threshold, n, f2) for each in read_outs])
    return sides[0], sides[1]


@pytest.mark.statistical
def test_a_page_without_change_rarely_calls_one_clear_and_one_of_five_standard_errors_is_found() -> None:
    """At most 5 % of pages have a false discovery where nothing changed: then that is the false discovery rate."""
    rng, wrong, listed, right = np.random.default_rng(3), 0, 0, 0
    drawn = [histograms(each, rng) for each in LOCALES]
    for page in range(PAGES):
        compared = [
            compare_published(each.mechanism.debiased, first[page], second[page])[0]
            for each, (first, second) in zip(LOCALES, drawn, strict=True)
        ]
        wrong += bool(clear_of(compared).any())
        listed += sum(len(each.p_values) for each in compared)
        # The first element that the third locale lists on both sides: by so many standard errors more than it has.
        first, second = (sides[page] for sides in drawn[2])
        element = int(np.flatnonzero(first.above & second.above)[0])
        error = float(np.nanmax(compared[2].standard_error)) * first.n
        raised = replace(first, count=first.count + PLANTED * error * (np.arange(ELEMENTS) == element))
        compared[2], place = compare_published(LOCALES[2].mechanism.debiased, raised, second)
        right += bool(clear_of(compared[2:] + compared[:2])[place.tolist().index(element)])
    assert listed > 40 * PAGES
    assert wrong / PAGES <= LEVEL + Z_MILLIONTH * np.sqrt(LEVEL * (1 - LEVEL) / PAGES)
    # The least clear one of so many tests passes at some 3.2 standard errors: 5 are seen 19 times of 20.
    assert right / PAGES >= 0.9


def clear_of(compared: Sequence[Differences]) -> NDArray[np.bool_]:
    return benjamini_hochberg(np.concatenate([each.p_values for each in compared]), LEVEL)


@pytest.mark.statistical
def test_what_all_locales_have_in_common_by_their_hash_functions_makes_no_more_false_discoveries() -> None:
    """Few rows, two elements that change in the same way everywhere, and 20 that collide with them and do not."""
    rng, parts, right = np.random.default_rng(5), [], 0
    before, now = (np.array([a, b, *[0.025] * 20, *[0.0] * 78]) for a, b in ((0.4, 0.1), (0.1, 0.4)))
    elements = [f"e{number}" for number in range(100)]
    for _repetition in range(25):
        mechanism = count_mean("8", 16, 32, seed=int(rng.integers(2**62)))
        p_values, nulls = [], []
        for _locale in range(3):
            sides = []
            for shares in (now, before):
                index = rng.choice(100, 1500, p=shares)
                sides.append(Side(read_out_of(mechanism, elements, index, rng), 1500))
            found, listed = compare_published(
                mechanism.debiased, *(publish(mechanism.debiased, side) for side in sides)
            )
            p_values.append(found.p_values)
            nulls.append(listed > 1)
        clear, null = benjamini_hochberg(np.concatenate(p_values), LEVEL), np.concatenate(nulls)
        parts.append((clear & null).sum() / max(clear.sum(), 1))
        right += int((clear & ~null).sum())
    spread = max(np.std(parts, ddof=1) / np.sqrt(len(parts)), 0.005)
    assert np.mean(parts) <= LEVEL + Z_MILLIONTH * spread
    assert right == 25 * 3 * 2
