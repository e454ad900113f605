"""The reports that the cut keeps, down to none and up to its ceiling."""

import numpy as np
import pytest
from numpy.typing import NDArray

from aggregation.discovery import Cut, cut_fragments
from aggregation.estimation import plug_in_f2
from tests.aggregation.discovery.helpers import puzzle

pytestmark = pytest.mark.exact

MECHANISM = puzzle(("2", 8, 16), ("6", 256, 256), 4)
KEYS = 256 * 13
N = 10_000


def noise(n: int, seed: int = 0) -> NDArray[np.int64]:
    """Read-outs of two positions without any word."""
    return np.random.default_rng(seed).binomial(n, 0.051, (2, KEYS)).astype(np.int64)


def kept_by_definition(read_outs: NDArray[np.int64], cut: Cut, position: int) -> list[int]:
    estimate = MECHANISM.fragments.debiased.estimate(read_outs[position], int(cut.reports[position]))
    return sorted(np.flatnonzero(estimate >= cut.thresholds[position]).tolist(), key=lambda key: -estimate[key])


def test_the_cut_is_the_sketchs_threshold_for_64_of_all_keys() -> None:
    read_outs = noise(N)
    read_outs[1, [7, 3000]] = [1500, 2500]
    cut = cut_fragments(MECHANISM, read_outs, [N, N])
    assert cut.reports.tolist() == [N, N]
    for position in range(2):
        estimate = MECHANISM.fragments.debiased.estimate(read_outs[position], N)
        f2 = plug_in_f2(MECHANISM.fragments.debiased, estimate, N)
        assert cut.f2[position] == f2
        assert cut.thresholds[position] == MECHANISM.fragments.debiased.threshold(N, 64 / KEYS, f2)
        assert cut.kept[position].tolist() == kept_by_definition(read_outs, cut, position)
        assert (cut.estimates[position] == estimate[cut.kept[position]]).all()
        assert 20 < len(cut.kept[position]) < 150
    assert cut.kept[1][:2].tolist() == [3000, 7]
    assert cut.capped.tolist() == [False, False]


@pytest.mark.parametrize(("n", "kept"), [(0, 0), (1, 0), (3, KEYS)])
def test_few_reports_stand_out_only_if_their_agreeing_would_be_rare(n: int, kept: int) -> None:
    """All reports have a one-bit for every key."""
    cut = cut_fragments(MECHANISM, np.full((2, KEYS), n), [n, n])
    assert (cut.thresholds > 0).all()
    assert np.isfinite(cut.thresholds).all()
    assert [len(own) for own in cut.kept] == [kept, kept]


def test_positions_have_cuts_of_their_own() -> None:
    read_outs = np.stack([noise(N)[0], noise(N // 4, seed=1)[0]])
    cut = cut_fragments(MECHANISM, read_outs, [N, N // 4])
    assert cut.thresholds[0] > 1.5 * cut.thresholds[1]


def test_the_ceiling_raises_the_cut_and_says_so() -> None:
    read_outs = noise(N)
    free = cut_fragments(MECHANISM, read_outs, [N, N])
    sizes = [len(own) for own in free.kept]
    assert sizes[0] != sizes[1]
    cut = cut_fragments(MECHANISM, read_outs, [N, N], most=min(sizes))
    assert sorted(cut.capped.tolist()) == [False, True]
    for position in range(2):
        assert len(cut.kept[position]) <= min(sizes)
        assert cut.kept[position].tolist() == free.kept[position][: len(cut.kept[position])].tolist()
        assert cut.kept[position].tolist() == kept_by_definition(read_outs, cut, position)


@pytest.mark.parametrize(("most", "kept"), [(0, 0), (1, 1), (2, 1), (3, 3), (4, 4), (5, 4), (6, 4), (7, 7), (8, 7)])
def test_of_equals_all_or_none_stay(most: int, kept: int) -> None:
    read_outs = np.zeros((2, KEYS), np.int64)
    read_outs[:, :7] = [5000, 4000, 4000, 3000, 2000, 2000, 2000]
    cut = cut_fragments(MECHANISM, read_outs, [N, N], most=most)
    assert [own.tolist() for own in cut.kept] == [list(range(kept))] * 2
    assert cut.capped.tolist() == [most < 7] * 2
    assert kept_by_definition(read_outs, cut, 0) == list(range(kept))


def test_the_usual_ceiling() -> None:
    keys = 256 * 757
    read_outs = np.arange(2 * keys).reshape(2, keys)[:, ::-1] % keys + 1000
    cut = cut_fragments(MECHANISM, read_outs, [2 * keys, 2 * keys])
    assert [len(own) for own in cut.kept] == [4096, 4096]
    assert cut.kept[0].tolist() == list(range(4096))


def test_the_smallest_alphabet() -> None:
    cut = cut_fragments(MECHANISM, noise(N)[:, : 256 * 3], [N, N])
    assert 20 < len(cut.kept[0]) < 120
