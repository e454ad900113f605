"""Collision correction: against brute force, and what is claimed of its errors, over many fleets and hash families.

All seeds are fixed; each test states the chance of a false alarm that new seeds would have.
"""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation import CountMeanSketch, Mechanism, ParameterError, Sketch, estimate
from aggregation.estimation import Corrected, Summary, summarize, summarize_groups
from aggregation.evaluation.drawing import draw
from aggregation.registry import estimator_of
from aggregation.sketches import shared_rows
from tests.aggregation.helpers import (
    Z_MILLIONTH,
    count_mean,
    hadamard_count_mean,
    local_hashing,
    read_out_of,
    zipf_counts,
)

Make = Callable[[str, int, int, int], Mechanism]
COUNTING: list[Make] = [count_mean, hadamard_count_mean, local_hashing]


def corrected(mechanism: Mechanism, size: int) -> Corrected:
    found = estimator_of(mechanism, size, complete=True)
    assert isinstance(found, Corrected)
    return found


def drawn_read_out(
    mechanism: Mechanism, elements: list[str], counts: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    if isinstance(mechanism, CountMeanSketch):
        drawn: NDArray[np.int64] = draw(mechanism, mechanism.points(elements), counts[None], [rng])[0]
        return drawn
    return read_out_of(mechanism, elements, np.repeat(np.arange(len(counts)), counts), rng)


def repeat(
    make: Make, shape: tuple[str, int, int], counts: NDArray[np.int64], repetitions: int, rate: float = 0.05
) -> list[tuple[Summary, NDArray[np.int64], Corrected]]:
    """Simulate fleets, each over hash functions of its own; return summaries with the corrected read-outs."""
    elements, rng, n = [f"e{place}" for place in range(len(counts))], np.random.default_rng(11), int(counts.sum())
    found = []
    for _ in range(repetitions):
        mechanism = make(*shape, int(rng.integers(2**62)))
        estimator = corrected(mechanism, len(counts))
        read_out = drawn_read_out(mechanism, elements, counts, rng)
        read_out = estimator.without_collisions(mechanism.points(elements), read_out, n)
        found.append((summarize(estimator, read_out, n, rate), read_out, estimator))
    return found


def one_frequent(size: int, n: int, share: float = 0.9) -> NDArray[np.int64]:
    """Return counts of which one is most of all, some are rare, and most are 0."""
    counts = np.zeros(size, np.int64)
    counts[1:30] = round(n * (1 - share) / 29)
    counts[0] = n - counts.sum()
    return counts


@pytest.mark.exact
@pytest.mark.parametrize("make", COUNTING)
def test_corrected_estimates_solve_the_equations_of_the_collision_matrix(make: Make) -> None:
    size, k, m, n = 60, 16, 32, 5000
    mechanism, elements = make("2", k, m, 3), [f"e{place}" for place in range(size)]
    points = mechanism.points(elements)
    read_out = drawn_read_out(mechanism, elements, zipf_counts(n, size), np.random.default_rng(1))
    debiased = mechanism.debiased.estimate(read_out, n)
    collisions = shared_rows(mechanism.family, points, np.arange(size), k, m) / k  # type: ignore[attr-defined]
    matrix = (collisions - 1 / m) * m / (m - 1)
    found = corrected(mechanism, size)
    one = np.diff(mechanism.debiased.estimate(np.array([0, 1]), n))[0]
    estimated = found.estimate(found.without_collisions(points, read_out, n), n)
    assert np.abs(estimated - np.linalg.solve(matrix, debiased)).max() <= one
    assert np.abs(estimated - debiased).max() > 20 * one
    # The whole matrix is applied as it stands, in blocks of rows or at once.
    counts = np.arange(size, dtype=np.float64)
    assert found.collisions.mix(points, counts) == pytest.approx(matrix @ counts)


@pytest.mark.exact
def test_true_expectations_are_corrected_to_the_true_counts() -> None:
    """Given the hash functions an estimate has exactly the mean that is solved for; all else is noise."""
    mechanism, size, n = count_mean("8", 64, 64, 5), 300, 10**9
    elements, counts = [f"e{place}" for place in range(size)], zipf_counts(n, size)
    points, own = mechanism.points(elements), corrected(mechanism, size)
    per_one = np.diff(mechanism.debiased.estimate(np.array([0, 1]), n))[0]
    expected = own.collisions.mix(points, counts.astype(np.float64)) / per_one
    at_zero = mechanism.debiased.estimate(np.zeros(1, np.int64), n)[0] / per_one
    read_out = np.rint(expected - at_zero).astype(np.int64)
    assert np.abs(mechanism.debiased.estimate(read_out, n) - counts).max() > 10**6
    found = own.estimate(own.without_collisions(points, read_out, n), n)
    assert np.abs(found - counts).max() <= 2 * per_one


@pytest.mark.exact
def test_corrected_read_outs_add_up() -> None:
    """Windows, shards and groups have sums of them as of others, to one for each rounding."""
    mechanism, elements = count_mean("4", 16, 64, 2), [f"e{place}" for place in range(100)]
    points, own, rng = mechanism.points(elements), corrected(mechanism, 100), np.random.default_rng(4)
    parts = [drawn_read_out(mechanism, elements, zipf_counts(n, 100), rng) for n in (2000, 500)]
    first, second = (own.without_collisions(points, part, n) for part, n in zip(parts, (2000, 500), strict=True))
    together = own.without_collisions(points, parts[0] + parts[1], 2500)
    assert np.abs(first + second - together).max() <= 1


@pytest.mark.exact
@pytest.mark.parametrize(
    ("make", "k", "m", "size"),
    [
        (count_mean, 15, 1024, 50),
        (count_mean, 1, 2**20, 50),
        (local_hashing, 47, 2, 4),
        (count_mean, 16, 16, 61),
        (count_mean, 64, 1024, 2**20),
    ],
    ids=["few rows", "one row", "few rows of two buckets", "too many elements for the cells", "too many look-ups"],
)
def test_elements_that_rows_cannot_tell_apart_are_left_uncorrected(make: Make, k: int, m: int, size: int) -> None:
    mechanism = make("4", k, m, 3)
    assert estimator_of(mechanism, size, complete=True) is mechanism.debiased
    with pytest.raises(ParameterError, match="cannot be corrected"):
        Corrected(mechanism.collisions, size)  # type: ignore[arg-type]


@pytest.mark.exact
def test_an_incomplete_dictionary_is_not_corrected() -> None:
    mechanism = count_mean("4", 64, 64)
    assert estimator_of(mechanism, 100, complete=False) is mechanism.debiased


@pytest.mark.exact
def test_a_dictionary_of_two_is_corrected_in_little_memory() -> None:
    """All cells of 65,536 rows at once would be 512 MB."""
    mechanism, elements = count_mean("4", 2**16, 1024, 3), ["yes", "no"]
    points, own = mechanism.points(elements), corrected(mechanism, 2)
    tracemalloc.start()
    own.collisions.mix(points, np.array([400.0, 600.0]))
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 16 << 20


@pytest.mark.exact
def test_elements_with_the_same_buckets_everywhere_are_refused() -> None:
    mechanism, points = count_mean("4", 16, 64), count_mean("4", 16, 64).points(["tea", "tea", "milk"])
    with pytest.raises(ParameterError, match="singular"):
        corrected(mechanism, 3).without_collisions(points, np.array([400, 500, 600]), 1000)


@pytest.mark.exact
def test_the_library_corrects_a_complete_dictionary() -> None:
    mechanism, fruits = CountMeanSketch(epsilon=8, k=16, m=8, seed=3), ["apple", "pear", "plum", "quince"]
    sketch, rng = Sketch(mechanism), np.random.default_rng(0)
    sketch.add(mechanism.split(mechanism.privatize_fleet(fruits, rng.integers(0, 3, 90_000), rng)))
    plain, found = estimate(sketch, fruits), estimate(sketch, fruits, complete=True)
    assert np.abs(plain.count - [30_000, 30_000, 30_000, 0]).max() > 1500
    # All of six standard errors from the truth: false alarm below 1e-8.
    assert (np.abs(found.count - [30_000, 30_000, 30_000, 0]) < 6 * found.standard_error + 400).all()
    assert found.standard_error.max() < plain.standard_error.min() / 4


SHAPES: list[tuple[Make, tuple[str, int, int], NDArray[np.int64], int]] = [
    (count_mean, ("8", 64, 128), zipf_counts(100_000, 600), 16),
    (count_mean, ("8", 16, 128), one_frequent(200, 100_000), 50),
    (local_hashing, ("4", 64, 56), zipf_counts(100_000, 500), 20),
    (local_hashing, ("1", 64, 4), zipf_counts(20_000, 40), 250),
    (local_hashing, ("4", 16, 56), one_frequent(200, 100_000), 50),
    (hadamard_count_mean, ("4", 16, 128), zipf_counts(50_000, 300), 30),
    (hadamard_count_mean, ("8", 32, 32), one_frequent(200, 20_000), 50),
]


@pytest.mark.statistical
@pytest.mark.parametrize(("make", "shape", "counts", "repetitions"), SHAPES)
def test_95_percent_intervals_cover_94_to_96_percent_and_standard_errors_are_true(
    make: Make, shape: tuple[str, int, int], counts: NDArray[np.int64], repetitions: int
) -> None:
    """Check 10,000 deviations and more, of elements that depend on each other little.

    The mean square of z has a standard error below 0.02, coverage one of 0.25 %. False alarm of the first 1e-6, of
    the second 1e-8 at a coverage of 95 %.
    """
    found = repeat(make, shape, counts, repetitions)
    z = np.concatenate([(own.estimate - counts) / own.standard_error for own, *_ in found])
    covered = np.mean([(own.lower <= counts) & (counts <= own.upper) for own, *_ in found])
    assert abs(np.mean(z**2) - 1) < Z_MILLIONTH * 0.02
    assert 0.935 <= covered <= 0.965
    # No element is wrong for good: without correction the frequent ones push others up and down by many errors.
    assert abs(z.mean()) < Z_MILLIONTH / np.sqrt(len(z)) * 2


@pytest.mark.statistical
def test_the_largest_element_is_covered_however_much_of_all_reports_it_has() -> None:
    """It has nine tenths, in 16 rows as full as they may be: the rows of its own reports make its error larger.

    Of 500 fleets the mean square of z has a standard error of 0.063: false alarm 1e-6. At 95 % fewer than 454 are
    covered with a probability of 3e-5, more than 493 with 4e-6.
    """
    counts = one_frequent(450, 20_000)
    summaries = [own for own, *_ in repeat(count_mean, ("8", 16, 128), counts, 500)]
    z = [(own.estimate[0] - counts[0]) / own.standard_error[0] for own in summaries]
    assert abs(np.mean(np.square(z)) - 1) < Z_MILLIONTH * np.sqrt(2 / len(z))
    assert 454 <= sum(bool(own.lower[0] <= counts[0] <= own.upper[0]) for own in summaries) <= 493


@pytest.mark.statistical
@pytest.mark.parametrize("n", [100_000, 1000])
@pytest.mark.parametrize("make", COUNTING)
def test_false_elements_are_no_more_than_alpha_says(make: Make, n: int) -> None:
    """One element has nine tenths of all, in 16 rows: those that share its buckets have more noise than others.

    Of 150 times 170 elements without reports 115 are expected to pass. A Poisson number of this mean exceeds 172 with a
    probability of 3e-7, and is below 65 with 1e-7: many reports give nearly as many as α says.
    """
    counts = one_frequent(200, n)
    found = repeat(make, ("8", 16, 128), counts, 150, rate=0.9)
    false = sum(int(own.above[counts == 0].sum()) for own, *_ in found)
    assert (65 if n == 100_000 else 0) <= false <= 172


@pytest.mark.statistical
@pytest.mark.parametrize("make", COUNTING)
@pytest.mark.parametrize(("members", "repetitions"), [(5, 40), (25, 100)])
def test_groups_of_corrected_elements_have_the_stated_variance(make: Make, members: int, repetitions: int) -> None:
    """Members share buckets, and what is taken out of them. False alarm 1e-6 each, of the mean of 2,000 or 1,000 z²."""
    counts = zipf_counts(30_000, 250)
    group_index = np.arange(250) // members
    groups = int(group_index.max()) + 1
    true = np.bincount(group_index, counts)
    z: list[Any] = []
    for own, read_out, estimator in repeat(make, ("4", 32, 64), counts, repetitions):
        summary = summarize_groups(estimator, read_out, own.n, group_index, groups, 0.05)
        z.extend((summary.estimate - true) / summary.standard_error)
    assert abs(np.mean(np.square(z)) - 1) < Z_MILLIONTH * np.sqrt(2 / len(z))


@pytest.mark.statistical
def test_unknown_elements_leave_corrected_estimates_unbiased() -> None:
    """A dictionary that is called complete and is not: a tenth of the reports is about others. False alarm 1e-6."""
    counts, size, rng = zipf_counts(50_000, 300), 250, np.random.default_rng(2)
    elements, z = [f"e{place}" for place in range(300)], []
    for _ in range(60):
        mechanism = count_mean("4", 64, 64, int(rng.integers(2**62)))
        points, own = mechanism.points(elements[:size]), corrected(mechanism, size)
        read_out = drawn_read_out(mechanism, elements, counts[::-1].copy(), rng)[:size]
        estimated = own.estimate(own.without_collisions(points, read_out, 50_000), 50_000)
        z.append(float((estimated - counts[::-1][:size]).mean()))
    assert abs(np.mean(z)) < Z_MILLIONTH * np.std(z) / np.sqrt(len(z))
