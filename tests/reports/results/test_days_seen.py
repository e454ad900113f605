"""On which days a word passes that day's own threshold."""

import datetime
from typing import Any

import numpy as np
import pytest

from aggregation.accuracy import plug_in_f2
from aggregation.mechanisms import mechanism_for
from reports.results.days_seen import days_seen

pytestmark = pytest.mark.exact

WORDS = mechanism_for("CountMeanSketch", {"epsilon": 8, "k": 64, "m": 256, "seed": "0f" * 16})
MONDAY, TUESDAY, WEDNESDAY = (datetime.date(2026, 3, day) for day in (2, 3, 4))
DAYS = [MONDAY, TUESDAY, WEDNESDAY]
CANDIDATES = ("often", "once", "never")
# How often each was reported on each day.
REPORTS = ((600, 0, 0), (500, 400, 0), (600, 0, 0))
SUMS = [600, 900, 600]


def no_more(_n: int) -> float:
    """The candidates are all there is."""
    return 0.0


@pytest.fixture(scope="module")
def counts() -> np.ndarray[Any, np.dtype[np.int64]]:
    points, rng = WORDS.family.points(CANDIDATES), np.random.default_rng(1)
    found = []
    for reports in REPORTS:
        index = np.repeat(np.arange(len(CANDIDATES)), reports)
        records = np.sort(WORDS.privatize_fleet(CANDIDATES, index, rng)["element"], order="row")
        found.append(WORDS.read_out([records], points, 0, 64)[0])
    return np.array(found)


def test_the_first_and_the_last_day_on_which_a_word_stands_out(counts: np.ndarray[Any, Any]) -> None:
    found = days_seen(WORDS, counts, DAYS, SUMS, [0, 1, 2], 0.05, no_more)
    assert found == [(MONDAY, WEDNESDAY), (TUESDAY, TUESDAY), None]
    assert days_seen(WORDS, counts, DAYS, SUMS, [1], 0.05, no_more) == [(TUESDAY, TUESDAY)]
    assert days_seen(WORDS, counts, DAYS, SUMS, [], 0.05, no_more) == []


def test_sealings_of_a_day_are_added_up(counts: np.ndarray[Any, Any]) -> None:
    """What is lost in the noise of each quarter of a day's reports may stand out of all of them."""

    def smallest(days: list[datetime.date]) -> int:
        """How many one-bits more in every part make the word stand out."""
        for more in range(100):
            parts = np.stack([counts[0] + [0, more, 0]] * 4)
            if days_seen(WORDS, parts, days, [600] * 4, [1], 0.05, no_more) != [None]:
                break
        return more

    assert 0 < smallest([MONDAY] * 4) < smallest([MONDAY + datetime.timedelta(day) for day in range(4)]) < 99


def test_the_false_positive_rate_is_spread_over_the_words_shown(counts: np.ndarray[Any, Any]) -> None:
    """A count that one word may have to stand out is too little where a hundred are asked about."""
    alone = np.array([[counts[0][0], 0]])
    n = 600

    def stands_out(count: int, shown: int) -> bool:
        alone[0, 1] = count
        return days_seen(WORDS, alone, [MONDAY], [n], [1] * shown, 0.05, no_more)[0] is not None

    smallest = {shown: next(count for count in range(n) if stands_out(count, shown)) for shown in (1, 100)}
    for shown, count in smallest.items():
        alone[0, 1] = count
        estimate = WORDS.estimate(alone[0], n)
        threshold = WORDS.threshold(n, 0.05 / shown, plug_in_f2(WORDS, estimate, n))
        assert estimate[1] >= threshold
    assert smallest[1] < smallest[100]


def test_words_that_are_no_candidates_make_a_day_noisier(counts: np.ndarray[Any, Any]) -> None:
    """An F2 that only a word of which all reports are could have, so that much more is needed to stand out."""
    smallest = []
    for least in (no_more, lambda n: 1e3 * n**2):
        parts = counts[:1].copy()
        while days_seen(WORDS, parts, [MONDAY], [600], [1], 0.05, least) == [None]:
            parts[0, 1] += 1
        smallest.append(int(parts[0, 1]))
    assert smallest[0] < smallest[1]
