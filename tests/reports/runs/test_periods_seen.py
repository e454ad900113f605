"""In which periods a word passes the threshold of that period by itself."""

import datetime
from typing import Any

import numpy as np
import pytest

from aggregation.estimation import plug_in_f2
from aggregation.mechanisms import mechanism_for
from reports.publication import Released
from reports.runs.periods_seen import Seen, periods_seen

pytestmark = pytest.mark.exact

WORDS = mechanism_for("CountMeanSketch", {"epsilon": 8, "k": 64, "m": 256, "seed": "0f" * 16})
MONDAY, TUESDAY, WEDNESDAY = (datetime.date(2026, 3, day) for day in (2, 3, 4))
CANDIDATES = ("often", "once", "never")
# How often each was reported on each day.
REPORTS = ((600, 0, 0), (500, 400, 0), (600, 0, 0))


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


def days(count: int, n: int = 600) -> list[Released]:
    """Periods of a day each, with as many reports."""
    found = [MONDAY + datetime.timedelta(number) for number in range(count)]
    return [Released(number, day, day, n, (), "2026-04-01T00:00:00+00:00") for number, day in enumerate(found)]


THREE = [period._replace(n=sum(reports)) for period, reports in zip(days(3), REPORTS, strict=True)]


def test_the_first_and_the_last_period_in_which_a_word_stands_out(counts: np.ndarray[Any, Any]) -> None:
    def seen(periods: list[Released], shown: list[int]) -> list[Seen | None]:
        return periods_seen([WORDS.debiased] * len(periods), counts, periods, shown, 0.05, no_more)

    assert seen(THREE, [0, 1, 2]) == [(MONDAY, WEDNESDAY), (TUESDAY, TUESDAY), None]
    assert seen(THREE, [1]) == [(TUESDAY, TUESDAY)]
    assert seen(THREE, []) == []
    # A longer period's ends, in whichever order periods come.
    sunday = TUESDAY + datetime.timedelta(5)
    longer = [THREE[0], THREE[1]._replace(last_day=sunday), THREE[2]]
    assert seen(longer, [0, 1]) == [(MONDAY, sunday), (TUESDAY, sunday)]


def test_the_false_positive_rate_is_spread_over_the_periods(counts: np.ndarray[Any, Any]) -> None:
    """A count with which a word stands out of a single period is too little where it has a hundred chances."""
    n, alpha = 600, 0.05

    def smallest(num_days: int) -> int:
        parts = np.zeros((num_days, 2), np.int64)
        parts[:, 0] = counts[0][0]
        for parts[0, 1] in range(n):
            if periods_seen([WORDS.debiased] * num_days, parts, days(num_days), [1], alpha, no_more) != [None]:
                break
        estimate = WORDS.debiased.estimate(parts[0], n)
        assert estimate[1] >= WORDS.debiased.threshold(n, alpha / num_days, plug_in_f2(WORDS.debiased, estimate, n))
        return int(parts[0, 1])

    assert smallest(1) < smallest(100)


def test_other_words_do_not_make_periods_harder_to_name(counts: np.ndarray[Any, Any]) -> None:
    shown = [1] + [0] * 50
    assert periods_seen([WORDS.debiased] * 3, counts, THREE, shown, 0.05, no_more)[0] == (TUESDAY, TUESDAY)
    for parts_of_once in range(600):
        parts = counts.copy()
        parts[1, 1] = parts_of_once
        alone, among = (periods_seen([WORDS.debiased] * 3, parts, THREE, own, 0.05, no_more)[0] for own in ([1], shown))
        assert alone == among


def test_words_that_are_no_candidates_make_a_period_noisier(counts: np.ndarray[Any, Any]) -> None:
    """An F2 that only a word of which all reports are could have, so that much more is needed to stand out."""
    smallest = []
    for least in (no_more, lambda n: 1e3 * n**2):
        parts = counts[:1].copy()
        while periods_seen([WORDS.debiased], parts, days(1), [1], 0.05, least) == [None]:
            parts[0, 1] += 1
        smallest.append(int(parts[0, 1]))
    assert smallest[0] < smallest[1]
