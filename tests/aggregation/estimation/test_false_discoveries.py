"""Findings called clear hold no more false ones than promised: few reports, little noise, thresholds in between.

Read-outs are drawn from their law, see `benchmarks.false_discoveries`. All seeds are fixed; a test fails by chance with
a probability of 1e-6 for each comparison.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.estimation import Side, comparison
from benchmarks.false_discoveries import ALPHA, CMS, ELEMENTS, HCMS, LEVEL, Situation, discover, draw_read_outs
from tests.aggregation.helpers import Z_MILLIONTH

pytestmark = pytest.mark.statistical

LEVELS = (0.05, 0.01, 0.0025, 0.0005)

# Nulls, reports of both sides and of both together, a share, and at which levels as many p-values are promised to be
# below. The normal approximation lets through 1.4 times as many at 0.0005 where 300 reports have to reach T against
# 6,000: it takes more nulls to see.
CASES = {
    "just above T, one side smaller": (300_000, CMS, 300, 6000, 0, 0.03, LEVELS[:2]),
    "above T, one side smaller": (300_000, CMS, 300, 6000, 0, 0.15, LEVELS),
    "above T": (100_000, CMS, 300, 300, 0, 0.2, LEVELS),
    "more reports": (100_000, CMS, 2000, 2000, 0, 0.1, LEVELS),
    "some of them on both sides": (100_000, CMS, 1000, 800, 400, 0.1, LEVELS),
    "a bit a report": (100_000, HCMS, 1000, 1000, 0, 0.5, LEVELS),
    "a bit a report, some on both sides": (100_000, HCMS, 300, 1000, 100, 0.5, LEVELS),
}


def p_values(case: str, monkeypatch: pytest.MonkeyPatch) -> NDArray[np.float64]:
    """Return p-values of very many nulls that are above T on both sides, each as if it was one of 600 elements."""
    nulls, algorithm, n1, n2, s, share, _ = CASES[case]
    mechanism, rng = Situation(algorithm, 8, n1, n2, s, 1, share).mechanism, np.random.default_rng(1)
    common, own1, own2 = (draw_read_outs(mechanism, rng.binomial(n, share, nulls), n, rng) for n in (s, n1 - s, n2 - s))
    taken: list[NDArray[np.float64]] = []

    def keep(found: NDArray[np.float64], level: float) -> NDArray[np.bool_]:
        taken.append(found)
        return np.zeros(len(found), bool)

    monkeypatch.setattr(comparison, "benjamini_hochberg", keep)
    sides = [Side(own + common, n, size=ELEMENTS) for own, n in ((own1, n1), (own2, n2))]
    comparison.compare(mechanism.debiased, *sides, alpha=ALPHA, fdr=LEVEL, shared=Side(common, s))
    return taken[0]


@pytest.mark.parametrize("case", CASES)
def test_p_values_of_nulls_are_no_smaller_than_they_may_be(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these fails where one part is missing: who reported, one step less, equal shares, how they were chosen.

    They fail, too, where p-values are larger than they need to be: far above T half of them are below 0.6.
    """
    found = p_values(case, monkeypatch)
    assert len(found) > 30_000
    for level in CASES[case][-1]:
        spread = Z_MILLIONTH * np.sqrt(level * (1 - level) / len(found))
        assert (found <= level).mean() <= level + spread, level
    if "just" not in case:
        assert (found <= 0.05).mean() > 0.03


# Through everything, with the two sides alike, or two elements that are not. Some stay below T on one side.
SITUATIONS = {
    "alike": Situation(CMS, 8, 2000, 2000, 0, 20, 0.045),
    "few reports": Situation(CMS, 8, 300, 300, 0, 15, 0.045),
    "one side smaller": Situation(CMS, 8, 500, 10_000, 0, 30, 0.012),
    "different": Situation(CMS, 8, 1000, 1000, 400, 20, 0.025, different=True),
    "a bit a report": Situation(HCMS, 4, 4000, 8000, 2000, 8, 0.07, different=True),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_false_discovery_rate(name: str) -> None:
    """Elements below T on one side are included."""
    situation, repetitions = SITUATIONS[name], 150
    found = discover(situation, repetitions, seed=2)
    spread = max(found.false_part.std(ddof=1) / np.sqrt(repetitions), 0.005)
    assert found.false_part.mean() <= LEVEL + Z_MILLIONTH * spread
    assert found.listed_nulls > 5 * repetitions
    if situation.different:
        assert found.true_ones > 0.9 * repetitions
