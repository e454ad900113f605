import numpy as np
import pytest

from aggregation.evaluation import apportion, invented, names, observed, ranks

pytestmark = pytest.mark.exact


@pytest.mark.parametrize(
    ("name", "first", "twentieth", "occurring"),
    [("harmonic", 122_274, 6_114, 2000), ("exponential", 230_769, 1_578, 50), ("even", 500, 500, 2000)],
)
def test_inputs_of_the_paper_have_its_counts(name: str, first: int, twentieth: int, occurring: int) -> None:
    truth = invented(name, 2000, 1_000_000)
    assert truth.n == 1_000_000
    assert truth.counts[[0, 19]].tolist() == pytest.approx([first, twentieth], abs=1)
    assert np.count_nonzero(truth.counts) == occurring
    assert truth.ranks.tolist() == list(range(1, 2001))


def test_remainders_go_to_the_largest_and_ties_to_the_lower_rank() -> None:
    assert apportion(np.ones(3), 8).tolist() == [3, 3, 2]
    assert apportion(np.array([1.0, 3.0, 1.0, 1.0]), 4).tolist() == [1, 2, 1, 0]
    # The second of 1/2, 3/2 and 1/2 has the lowest rank.
    assert apportion(np.array([1, 3, 1, 3]), 4).tolist() == [0, 2, 0, 2]
    assert apportion(np.array([2, 6, 2, 10]), 10).tolist() == [1, 3, 1, 5]
    assert apportion(np.array([10**12, 1]), 2**52).sum() == 2**52


def test_elements_are_the_shipped_words_and_numbered_ones_beyond() -> None:
    words = names(2002)
    assert words[:2000] == tuple(sorted(set(words[:2000])))
    assert all(word.isascii() and word.isalpha() for word in words[:2000])
    assert words[2000:] == ("element 0001", "element 0002")


def test_ranks_of_equal_values_follow_their_places_also_where_nothing_occurs() -> None:
    assert ranks(np.array([[0, 5, 0, 7, 5], [1, 1, 1, 1, 2]])).tolist() == [[4, 2, 5, 1, 3], [2, 3, 4, 5, 1]]
    assert observed("list", "abcd", [0, 2, 0, 3]).top(3).tolist() == [3, 1, 0]


def test_observed_counts_stay_unless_reports_are_asked_for() -> None:
    assert observed("list", "ab", [3, 1]).counts.tolist() == [3, 1]
    assert observed("list", "ab", [3, 1], 1000).counts.tolist() == [750, 250]
    assert observed("list", "ab", [3, 1]).digest != observed("list", "ab", [1, 3]).digest
