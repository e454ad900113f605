"""Counts of all reports from those of a stream that chance chose."""

import numpy as np
import pytest

from aggregation.estimation import Subsampled, summarize
from tests.aggregation.helpers import Z_MILLIONTH, local_hashing, zipf_counts

OWN = local_hashing("4", 4096, 56).debiased


@pytest.mark.exact
def test_all_of_them_are_estimated_as_the_stream_is() -> None:
    whole, counts = Subsampled.of(OWN, 1000, 1000), np.array([0.0, 10.0, 900.0])
    assert whole.share == 1
    assert (whole.estimate(np.array([5, 50]), 1000) == OWN.estimate(np.array([5, 50]), 1000)).all()
    assert (whole.variance(counts, 1000, 5e4) == OWN.variance(counts, 1000, 5e4)).all()
    assert whole.threshold(1000, 1e-3, 5e4) == OWN.threshold(1000, 1e-3, 5e4)


@pytest.mark.exact
def test_a_part_is_scaled_by_the_numbers_of_reports() -> None:
    """Formulas of the report format: (n/n_w)·f̂_w, and (n/n_w)²·Var f̂_w + f(1 - f/n)(n - n_w)/n_w."""
    n, drawn, f2, count = 1000, 200, 2e4, np.array([0.0, 100.0, 1000.0])
    own_f2 = drawn + (f2 - n) * (drawn / n) ** 2
    part = Subsampled.of(OWN, n, drawn)
    assert part.estimate(np.array([5, 50]), n) == pytest.approx(5 * OWN.estimate(np.array([5, 50]), drawn))
    expected = 25 * OWN.variance(count / 5, drawn, own_f2) + count * (1 - count / n) * 4
    assert part.variance(count, n, f2) == pytest.approx(expected)
    of_each = part.variance(count, np.full(3, n), np.full(3, f2))
    assert of_each == pytest.approx(expected)
    assert part.threshold(n, 1e-3, f2) == pytest.approx(5 * OWN.threshold(drawn, 1e-3, own_f2))


@pytest.mark.exact
@pytest.mark.parametrize("n", [0, 1, 7])
def test_of_a_stream_without_reports_nothing_is_seen(n: int) -> None:
    part = Subsampled.of(OWN, n, 0)
    summary = summarize(part, np.zeros(3, np.int64), n, 0.05)
    assert not summary.above.any()
    assert np.isfinite(summary.threshold)
    assert np.isfinite(summary.standard_error).all()


@pytest.mark.statistical
def test_errors_are_as_stated_over_draws_noise_and_hash_functions() -> None:
    """Mean of z², over 200 fleets of other hash functions, for counts from 1 to a fifth of n: false alarms 1e-6 each.

    z² of a normal number has a variance of 2; the bound allows for 2.5, as whole read-outs have heavier tails. Without
    the term of the draw, the mean for the largest element is above 2.
    """
    n, share = 5000, 0.2
    counts = zipf_counts(n, 100)
    index, fleets, z = np.repeat(np.arange(100), counts), 200, []
    for seed in range(fleets):
        rng = np.random.default_rng(seed)
        own = local_hashing("4", 4096, 56, seed)
        chosen = index[rng.random(n) < share]
        elements = [str(element) for element in range(100)]
        state = own.empty_state()
        own.add_to_state(state, {"element": np.sort(own.privatize_fleet(elements, chosen, rng)["element"])})
        part = Subsampled.of(own.debiased, n, len(chosen))
        estimate = part.estimate(own.read_state(state, own.points(elements)), n)
        f2 = float((counts.astype(float) ** 2).sum())
        z.append((estimate - counts) / np.sqrt(part.variance(counts.astype(float), n, f2)))
    squares = np.mean(np.square(z), axis=0)
    assert (np.abs(squares - 1) < Z_MILLIONTH * np.sqrt(2.5 / fleets)).all()
    assert abs(np.mean(z)) < Z_MILLIONTH / np.sqrt(fleets * 100) * 1.5
