"""On which days a word passes that day's own threshold."""

import datetime
from typing import Any

import numpy as np
import pytest

from aggregation.estimation import plug_in_f2
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
    points, rng = WORDS.points(CANDIDATES), np.random.default_rng(1)
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


def test_the_false_positive_rate_is_spread_over_the_days(counts: np.ndarray[Any, Any]) -> None:
    """A count with which a word stands out of a single day is too little where it has a hundred chances."""
    n, alpha = 600, 0.05

    def smallest(num_days: int) -> int:
        days = [MONDAY + datetime.timedelta(day) for day in range(num_days)]
        parts = np.zeros((num_days, 2), np.int64)
        parts[:, 0] = counts[0][0]
        for parts[0, 1] in range(n):
            if days_seen(WORDS, parts, days, [n] * num_days, [1], alpha, no_more) != [None]:
                break
        estimate = WORDS.debiased.estimate(parts[0], n)
        assert estimate[1] >= WORDS.debiased.threshold(n, alpha / num_days, plug_in_f2(WORDS.debiased, estimate, n))
        return int(parts[0, 1])

    assert smallest(1) < smallest(100)


def test_other_words_do_not_make_days_harder_to_name(counts: np.ndarray[Any, Any]) -> None:
    shown = [1] + [0] * 50
    assert days_seen(WORDS, counts, DAYS, SUMS, shown, 0.05, no_more)[0] == (TUESDAY, TUESDAY)
    for parts_of_once in range(600):
        parts = counts.copy()
        parts[1, 1] = parts_of_once
        alone, among = (days_seen(WORDS, parts, DAYS, SUMS, own, 0.05, no_more)[0] for own in ([1], shown))
        assert alone == among


def test_words_that_are_no_candidates_make_a_day_noisier(counts: np.ndarray[Any, Any]) -> None:
    """An F2 that only a word of which all reports are could have, so that much more is needed to stand out."""
    smallest = []
    for least in (no_more, lambda n: 1e3 * n**2):
        parts = counts[:1].copy()
        while days_seen(WORDS, parts, [MONDAY], [600], [1], 0.05, least) == [None]:
            parts[0, 1] += 1
        smallest.append(int(parts[0, 1]))
    assert smallest[0] < smallest[1]
