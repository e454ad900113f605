"""The rest beside the largest estimates: it adds up, is that of a group, and its interval allows for the choice."""

import numpy as np
import pytest
from scipy.stats import binom

from aggregation.errors import ParameterError
from aggregation.estimation import remainder, summarize
from tests.aggregation.helpers import count_mean, read_out_of, zipf_counts

ESTIMATOR = count_mean("4", 1024, 1024).debiased
N, F2 = 400_000, 5e8
ERROR = float(np.sqrt(ESTIMATOR.variance(np.array([0.0]), N, F2)[0]))


@pytest.mark.exact
def test_remainder_adds_up_and_has_the_error_of_the_group() -> None:
    shown = np.array([60_000.0, 30_000.0, 9_000.0])
    found = remainder(ESTIMATOR, shown, N, F2, cut=1000.0)
    assert found.estimate + shown.sum() == N
    half = 1.959964 * np.sqrt(ESTIMATOR.variance(np.array([shown.sum()]), N, F2, 3)[0])
    assert (found.estimate - found.lower, found.upper - found.estimate) == pytest.approx((half, half), rel=1e-6)
    # Elements near the cut were helped by chance.
    near = remainder(ESTIMATOR, np.append(shown, 1000.0), N, F2, cut=1000.0)
    assert near.upper - near.estimate > half + 4 * ERROR


@pytest.mark.exact
def test_remainder_of_nothing_shown_is_everything() -> None:
    assert remainder(ESTIMATOR, np.array([]), N, F2, cut=1000.0).estimate == N


@pytest.mark.exact
def test_what_was_not_shown_is_refused() -> None:
    with pytest.raises(ParameterError, match="reach the cut"):
        remainder(ESTIMATOR, np.array([2000.0, 900.0]), N, F2, cut=1000.0)
    with pytest.raises(ParameterError, match="confidence"):
        remainder(ESTIMATOR, np.array([2000.0]), N, F2, cut=1000.0, confidence=1.0)


THRESHOLD = 3.7 * ERROR
COUNTS = {
    "Zipf": N / 10 / np.arange(1, 2001),
    "at the threshold": np.append(np.full(100, THRESHOLD), np.full(1900, 10.0)),
    "below the threshold": np.append(np.full(100, 0.8 * THRESHOLD), np.zeros(1900)),
    "even": np.append(np.linspace(0.4, 1.6, 200) * THRESHOLD, np.zeros(1800)),
    "few": np.append([5000.0, 4000.0, THRESHOLD, 30.0], np.zeros(500)),
}


@pytest.mark.statistical
@pytest.mark.parametrize("most", [20, 2000])
@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
def test_interval_holds_though_the_largest_were_chosen(counts: np.ndarray, most: int) -> None:
    """alpha = 1e-4 for each of ten cases: with a coverage of 95 % so few of 600 hold less often than once in 10,000."""
    rng, holds, tried = np.random.default_rng(19), 0, 600
    for _ in range(tried):
        estimate = counts + ERROR * rng.standard_normal(len(counts))
        order = np.argsort(-estimate)
        chosen = order[estimate[order] >= THRESHOLD][:most]
        if len(chosen) == 0:
            tried -= 1
            continue
        cut = float(estimate[chosen].min()) if len(chosen) == most else THRESHOLD
        found = remainder(ESTIMATOR, estimate[chosen], N, F2, cut)
        holds += found.lower <= N - counts[chosen].sum() <= found.upper
    assert holds >= binom.ppf(1e-4, tried, 0.95)


@pytest.mark.statistical
def test_interval_holds_over_whole_fleets() -> None:
    """alpha = 1e-4: reports through one sketch, whose estimates have errors together, over new hash functions."""
    counts = zipf_counts(60, 4000)
    rng, holds, tried = np.random.default_rng(5), 0, 200
    elements, index = [f"e{i}" for i in range(len(counts))], np.repeat(np.arange(len(counts)), counts)
    for seed in range(tried):
        sketch = count_mean("4", 64, 64, seed=seed)
        found = summarize(sketch.debiased, read_out_of(sketch, elements, index, rng), len(index), 0.5)
        chosen = np.flatnonzero(found.above)
        left = remainder(sketch.debiased, found.estimate[chosen], found.n, found.f2, found.threshold)
        holds += left.lower <= found.n - counts[chosen].sum() <= left.upper
    assert holds >= binom.ppf(1e-4, tried, 0.95)
