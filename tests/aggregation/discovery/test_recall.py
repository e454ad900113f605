"""The curve of recall where it has one right answer; against simulation it is in `test_statistics`."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import norm

from aggregation.discovery import Cut, detection_probability, smallest_share
from tests.aggregation.discovery.helpers import puzzle

pytestmark = pytest.mark.exact

MECHANISM = puzzle(("4", 256, 256), ("4", 256, 256), 4)
N = 40_000
CUT = Cut(
    [np.empty(0, np.int64)] * 2,
    [np.empty(0)] * 2,
    np.array([16_000, 24_000]),
    np.array([150.0, 200.0]),
    np.array([1e6, 2e6]),
    np.zeros(2, np.bool_),
)


def by_definition(share: float) -> float:
    words, fragments = MECHANISM.words, MECHANISM.fragments
    passes = norm.cdf((share * N - 400) / words.debiased.variance(np.array([share * N]), N, 3e6) ** 0.5)
    for reports, cut, f2 in ((16_000, 150, 1e6), (24_000, 200, 2e6)):
        noise = fragments.debiased.variance(np.array([share * reports]), reports, f2)
        # Hypergeometric: drawn from n reports without putting back.
        drawn = reports * share * (1 - share) * (N - reports) / (N - 1)
        passes *= norm.cdf((share * reports - cut) / (noise + drawn) ** 0.5)
    return float(passes[0])


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.013, 0.05, 1.0])
def test_a_word_has_to_pass_everywhere(share: float) -> None:
    assert detection_probability(MECHANISM, share, N, 3e6, 400, CUT) == pytest.approx(by_definition(share))


def test_the_smallest_share_is_where_the_curve_says() -> None:
    for probability in (0.1, 0.5, 0.9, 0.99):
        share = smallest_share(MECHANISM, N, 3e6, 400, CUT, probability)
        assert by_definition(share) == pytest.approx(probability)
    assert smallest_share(MECHANISM, N, 3e6, 400, CUT) == smallest_share(MECHANISM, N, 3e6, 400, CUT, 0.9)


def test_nothing_is_found_without_reports() -> None:
    for reports in ([0, 0], [N, 0]):
        empty = dataclasses.replace(CUT, reports=np.array(reports))
        assert detection_probability(MECHANISM, 0.5, N, 3e6, 400, empty) == 0
        assert smallest_share(MECHANISM, N, 3e6, 400, empty) == 1
    assert smallest_share(MECHANISM, 0, 0.0, 400, dataclasses.replace(CUT, reports=np.zeros(2, np.int64))) == 1
    assert detection_probability(MECHANISM, 1.0, 1, 1.0, 400, dataclasses.replace(CUT, reports=np.array([1, 0]))) == 0
