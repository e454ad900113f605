"""In which periods words are looked for, and what is said of their days."""

import datetime

import numpy as np
import pytest

from reports.models import Histogram, Run, UseCase, Version
from reports.runs.found_words import FoundWords, HowFound
from reports.runs.word_publication import earlier_list, publish_words
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define_words, send_words, words_definition

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

Window = tuple[datetime.date, datetime.date]
# Letters that stand for nothing else: one word has them, on some days.
GONE = {"lol": 0.6, "able": 0.4}
NEW = {"lol": 0.5, "able": 0.3, "bits": 0.2}


@pytest.fixture
def version() -> Version:
    return define_words()


def windows() -> dict[Window, int]:
    return {(histogram.first_day, histogram.last_day): histogram.n for histogram in Histogram.objects.all()}


def aggregate_until(version: Version, day: int) -> Run:
    """As the task does after each day: a window of seven days."""
    return aggregate(version, last=days_ago(day))


def of(first: int, last: int, **more: str) -> Histogram:
    return Histogram.objects.get(first_day=days_ago(first), last_day=days_ago(last), **more)


def seen(histogram: Histogram) -> dict[str, tuple[datetime.date | None, datetime.date | None]]:
    return {entry.display: (entry.first_day, entry.last_day) for entry in histogram.entries}


def new(histogram: Histogram) -> set[str]:
    return {entry.display for entry in histogram.entries if entry.is_new}


# --- Which windows ---


def test_large_days_are_searched_in_windows_that_slide(version: Version) -> None:
    for day in range(9, 0, -1):
        send_words(version, 120, day=days_ago(day), seed=day)
        if day in (9, 3, 2, 1):
            aggregate_until(version, day)
    ends = {(9, 9): 120, (9, 3): 840, (8, 2): 840, (7, 1): 840}
    assert windows() == {(days_ago(first), days_ago(last)): n for (first, last), n in ends.items()}


def test_small_days_are_searched_in_periods_of_several(version: Version) -> None:
    for day in range(10, 0, -1):
        send_words(version, 60, day=days_ago(day), seed=day)
        if day <= 4:
            aggregate_until(version, day)
    periods = [(days_ago(day), days_ago(day - 1)) for day in range(10, 0, -2)]
    assert list(version.periods.values_list("first_day", "last_day")) == periods
    # Each list is of the whole periods in its seven days.
    assert windows() == {(days_ago(first), days_ago(first - 5)): 360 for first in (10, 8, 6)}


def test_days_that_are_too_few_for_a_period_of_seven_are_searched_in_a_longer_one(version: Version) -> None:
    for day in (10, 1):
        send_words(version, 50, day=days_ago(day), seed=day)
    aggregate_until(version, 1)
    assert windows() == {}, "older days wait until they are closed"
    aggregate(version, days_ago(10), days_ago(1))
    assert windows() == {(days_ago(10), days_ago(1)): 100}
    Histogram.objects.all().delete()
    aggregate_until(version, 1)
    assert windows() == {(days_ago(10), days_ago(1)): 100}


def test_a_few_late_reports_wait_and_many_make_the_list_anew(version: Version) -> None:
    shown = []
    for seed in range(4):
        send_words(version, 60, seed=seed)
        aggregate(version)
        shown.append([histogram.n for histogram in Histogram.objects.all()])
    assert shown == [[], [120], [120], [240]]
    histogram = Histogram.objects.get()
    assert len(histogram.discovery.sealings) == 4
    assert seen(histogram)["lol"] == (days_ago(0), days_ago(0)), "what came late is of its day"


def test_what_another_run_releases_meanwhile_is_not_in_a_list(version: Version) -> None:
    send_words(version, 300, day=days_ago(1))
    run = aggregate(version)
    found = FoundWords(
        locale="en_US", sealings=[0], first=days_ago(1), last=days_ago(1), words=[], counts=np.zeros((1, 0), np.int64),
        reports=[[]], how=HowFound([], [], [], [], capped=False, joined=0, strictness=1.0),
    )  # fmt: skip
    before = list(Histogram.objects.values())
    assert publish_words(run.version, [found]) == [None]
    assert list(Histogram.objects.values()) == before


def test_a_new_expectation_of_false_words_is_published_anew(version: Version) -> None:
    send_words(version, 300)
    aggregate(version)
    UseCase.objects.update(false_positive_rate=0.01)
    version.use_case.refresh_from_db()
    aggregate(version)
    assert Histogram.objects.get().alpha == 0.01


# --- Which days ---


def test_a_word_that_stands_out_over_the_window_only_has_no_days() -> None:
    """With more noise in the sketch of words, an eighth of 300 reports is nothing, and of 2100 it is something."""
    version = define_words(parameters=words_definition()["parameters"] | {"epsilon": 1})
    for day in range(7, 0, -1):
        send_words(version, 300, words={"lol": 0.87, "bits": 0.13}, day=days_ago(day), seed=day)
    aggregate(version)
    histogram = of(7, 1)
    assert seen(histogram) == {"lol": (days_ago(7), days_ago(1)), "bits": (None, None)}


def test_small_days_are_named_together(version: Version) -> None:
    """As the first and the last day of a period in which a word stands out."""
    for day, reports, words in ((4, 1000, GONE), (3, 60, NEW), (2, 940, NEW), (1, 1000, GONE)):
        send_words(version, reports, words=words, day=days_ago(day), seed=day)
    aggregate(version)
    histogram = of(4, 1)
    assert list(version.periods.values_list("n", flat=True)) == [1000, 1000, 1000]
    assert seen(histogram)["bits"] == (days_ago(3), days_ago(2))
    assert seen(histogram)["lol"] == (days_ago(4), days_ago(1))


def test_days_are_carried_over_from_earlier_publications(version: Version) -> None:
    send_words(version, 1000, words=NEW, day=days_ago(9), seed=9)
    aggregate_until(version, 9)
    send_words(version, 1000, words=GONE, day=days_ago(3), seed=3)
    aggregate_until(version, 3)
    send_words(version, 1000, words=NEW, day=days_ago(1), seed=1)
    aggregate_until(version, 1)
    assert seen(of(9, 3))["bits"] == (days_ago(9), days_ago(9))
    # The newest window does not reach back to where these were first seen.
    ever = (days_ago(9), days_ago(1))
    assert seen(of(3, 1)) == {"lol": ever, "able": ever, "bits": ever}


def test_other_locales_and_versions_tell_nothing(version: Version) -> None:
    shared = {"abbé": 0.5, "été": 0.5}
    send_words(version, 1000, locale="fr_FR", words=shared, day=days_ago(2))
    aggregate(version)
    Histogram.objects.update(locale="en_US")
    send_words(version, 1000, locale="fr_FR", words=shared, day=days_ago(1), seed=1)
    aggregate(version, days_ago(1))
    histogram = Histogram.objects.get(locale="fr_FR")
    assert set(seen(histogram).values()) == {(days_ago(1), days_ago(1))}
    assert new(histogram) == set()


# --- What is new ---


# Days ago on which lists began and ended that are there; a new list; and the one that says what is new in it.
@pytest.mark.parametrize(
    ("there", "made", "before"),
    [
        ([], (6, 6), None),
        ([(1, 1)], (6, 6), None),  # which is newer
        ([(1, 1), (6, 6)], (5, 5), (6, 6)),
        ([(9, 9), (9, 8), (2, 1)], (1, 0), (2, 1)),
        ([(9, 3), (2, 2)], (3, 1), (9, 3)),  # the day's list would call new what the week before had
        ([(9, 9)], (9, 3), (9, 9)),  # unless there is no other
        ([(4, 3), (3, 3)], (2, 2), (4, 3)),  # of those that end on a day the longest
        ([(0, 0)], (0, 0), (0, 0)),  # about to be replaced
    ],
)
def test_the_list_that_says_what_is_new(
    there: list[tuple[int, int]], made: tuple[int, int], before: tuple[int, int] | None
) -> None:
    version = define_search()
    for first, last in there:
        find(version, ["lol"], first=days_ago(first), last=days_ago(last))
    find(version, ["lol"], first=days_ago(8), last=days_ago(7), locale="fr_FR")
    histogram = Histogram(version=version, locale="en_US", first_day=days_ago(made[0]), last_day=days_ago(made[1]))
    assert earlier_list(histogram) == (None if before is None else of(*before, locale="en_US"))


def test_new_is_what_the_earlier_list_had_not(version: Version) -> None:
    send_words(version, 1000, words=GONE, day=days_ago(1), seed=9)
    aggregate(version)
    assert new(of(1, 1)) == set(), "nothing was before"
    send_words(version, 1000, words=NEW, day=days_ago(0), seed=8)
    aggregate(version)
    assert new(of(1, 0)) == {"bits"}
    send_words(version, 1000, words=NEW, day=days_ago(0), seed=2)
    aggregate(version)
    replaced = of(1, 0)
    assert (replaced.n, new(replaced)) == (3000, set()), "compared with what it replaced"
