"""Locales against each other: of what stands out no more is chance than was promised, and what really does is found.

All seeds are fixed; a statistical test fails by chance with a probability of 1e-6.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.estimation import PublishedSide, benjamini_hochberg, contrast
from benchmarks.false_discoveries import ALPHA, CMS, ELEMENTS, HCMS, LEVEL, Situation, draw_read_outs
from tests.aggregation.helpers import Z_MILLIONTH

# Reports of each locale. The smallest has a threshold above most of what the others show.
REPORTS = (400, 1500, 3000, 10_000)
PAGES = 200


def test_mean_of_the_others_is_theirs_and_is_not_told_where_one_is_hidden() -> None:
    estimator = Situation(CMS, 4, 1, 1, 0, 1, 0.1).mechanism.debiased
    counts = np.array([[300.0, 200.0, 90.0], [900.0, 0.0, 90.0], [1000.0, 900.0, 90.0]])
    sides = [
        PublishedSide(count, count > 0, n, 80.0, 0.0, 100) for count, n in zip(counts, (1000, 3000, 2000), strict=True)
    ]
    known = np.array([[True, True, True], [True, True, True], [True, True, False]])
    found = contrast(estimator, sides, known)
    assert found.others[:, 0] == pytest.approx([1900 / 5000, 1300 / 3000, 1200 / 4000])
    assert np.isnan(found.others[:, 1]).tolist() == [True, False, True]
    assert found.others_at_least[0, 1] == pytest.approx(900 / 5000)
    assert found.others_at_most[0, 1] == pytest.approx((900 + 80) / 5000)
    # The third does not count the last: it is in no mean, and has no contrast.
    assert found.others[:2, 2] == pytest.approx([90 / 3000, 90 / 1000])
    assert (found.p_values[2, 2], found.direction[2, 2]) == (1.0, 0)
    assert found.direction[:, 1].tolist() == [1, -1, 1]


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("algorithm", "epsilon", "nulls", "share"), [(CMS, 8, 30, 0.012), (CMS, 8, 20, 0.035), (HCMS, 8, 4, 0.1)]
)
def test_a_page_of_locales_alike_rarely_has_one_that_stands_out_and_what_does_is_found(
    algorithm: str, epsilon: int, nulls: int, share: float
) -> None:
    """At most 5 % of pages have a false discovery where all are alike. Two others differ in one of them."""
    situation, rng = Situation(algorithm, epsilon, 1, 1, 0, nulls, share), np.random.default_rng(4)
    estimator, (shares, _other) = situation.mechanism.debiased, situation.shares()
    rest = 1 - nulls * share
    shares[nulls:] *= 0.5
    shares[-1] += 0.5 * rest
    # In the second locale it is another element that has as much.
    different = shares.copy()
    different[-2:] = different[[-1, -2]]
    estimates: list[tuple[NDArray[np.float64], int, float]] = []
    for place, n in enumerate(REPORTS):
        drawn = rng.multinomial(n, different if place == 1 else shares, PAGES)
        f2 = float((shares**2).sum()) * n**2
        estimates.append((estimator.estimate(draw_read_outs(situation.mechanism, drawn, n, rng), n), n, f2))
    thresholds = [estimator.threshold(n, ALPHA / ELEMENTS, f2) for _estimate, n, f2 in estimates]
    wrong = right = tested = 0
    for page in range(PAGES):
        sides = []
        for (estimate, n, f2), threshold in zip(estimates, thresholds, strict=True):
            above = estimate[page] >= threshold
            sides.append(PublishedSide(np.where(above, estimate[page], 0.0), above, n, threshold, f2, ELEMENTS))
        listed = np.flatnonzero(np.any([side.above for side in sides], axis=0))
        shown = [
            PublishedSide(side.count[listed], side.above[listed], side.n, side.threshold, side.f2, ELEMENTS)
            for side in sides
        ]
        found = contrast(estimator, shown, np.ones((len(shown), len(listed)), bool))
        null = np.broadcast_to(listed < nulls, found.p_values.shape)
        wrong += bool(benjamini_hochberg(found.p_values[null], LEVEL).any())
        clear = benjamini_hochberg(found.p_values.ravel(), LEVEL).reshape(null.shape)
        right += bool((clear & ~null).any())
        tested += int(null.sum())
    assert tested > 4 * 0.8 * min(nulls, 4) * PAGES
    assert wrong / PAGES <= LEVEL + Z_MILLIONTH * np.sqrt(LEVEL * (1 - LEVEL) / PAGES)
    assert right == PAGES
