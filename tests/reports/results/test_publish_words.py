"""In which periods words are looked for, and what is said of their days."""

import datetime

import numpy as np
import pytest

from reports.models import Discovery, Histogram, Run, UseCase, Version
from reports.results.found_words import FoundWords, HowFound
from reports.results.publish_words import publish_words
from tests.reports.small_fleet import aggregate, days_ago, define_words, estimates, send_words, words_definition

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


def of(first: int, last: int) -> Histogram:
    return Histogram.objects.get(first_day=days_ago(first), last_day=days_ago(last))


def seen(histogram: Histogram) -> dict[str, tuple[datetime.date | None, datetime.date | None]]:
    return {
        display: (first, last)
        for display, first, last in histogram.entries.values_list("display", "first_day", "last_day")
    }


def new(histogram: Histogram) -> set[str]:
    return set(histogram.entries.filter(is_new=True).values_list("display", flat=True))


# --- Which windows ---


def test_below_the_minimum_nothing_is_published(version: Version) -> None:
    UseCase.objects.update(minimum_reports=500)
    send_words(version, 499)
    assert aggregate(version).state == Run.State.FINISHED
    assert not Histogram.objects.exists()
    assert not Discovery.objects.exists()


def test_large_days_are_searched_in_windows_that_slide(version: Version) -> None:
    for day in range(10, 0, -1):
        send_words(version, 120, day=days_ago(day), seed=day)
        aggregate_until(version, day)
    expected = {(days_ago(min(10, last + 6)), days_ago(last)): 120 * min(7, 11 - last) for last in range(1, 11)}
    assert windows() == expected


def test_small_days_are_searched_in_periods_of_several(version: Version) -> None:
    for day in range(14, 0, -1):
        send_words(version, 60, day=days_ago(day), seed=day)
        aggregate_until(version, day)
    periods = [(days_ago(day), days_ago(day - 1)) for day in range(14, 0, -2)]
    assert list(version.periods.values_list("first_day", "last_day")) == periods
    # Each list is of the whole periods in its seven days.
    ends = [(first, last) for first, last in windows() if (last - first).days < 7]
    assert set(ends) == set(windows())
    assert {(last - days_ago(14)).days % 2 for _first, last in ends} == {1}
    assert all((first - days_ago(14)).days % 2 == 0 for first, _last in ends)


def test_days_that_are_too_few_for_a_period_of_seven_are_searched_in_a_longer_one(version: Version) -> None:
    for day in range(10, 0, -1):
        send_words(version, 10, day=days_ago(day), seed=day)
    aggregate_until(version, 1)
    assert windows() == {}, "older days wait until they are closed"
    aggregate(version, days_ago(10), days_ago(1))
    assert windows() == {(days_ago(10), days_ago(1)): 100}
    Histogram.objects.all().delete()
    aggregate_until(version, 1)
    assert windows() == {(days_ago(10), days_ago(1)): 100}


def test_locales_are_judged_apart(version: Version) -> None:
    send_words(version, 150)
    send_words(version, 50, locale="fr_FR")
    aggregate(version)
    assert list(Histogram.objects.values_list("locale", flat=True)) == ["en_US"]


def test_a_few_late_reports_wait_and_many_make_the_list_anew(version: Version) -> None:
    shown = []
    for reports in (120, 60, 60):
        send_words(version, reports, day=days_ago(0), seed=reports)
        aggregate(version)
        shown.append(Histogram.objects.get().n)
    assert shown == [120, 120, 240]
    assert estimates(Histogram.objects.get())


def test_what_another_run_releases_meanwhile_is_not_in_a_list(version: Version) -> None:
    send_words(version, 300, day=days_ago(1))
    run = aggregate(version)
    found = FoundWords(
        locale="en_US", sealings=[0], first=days_ago(1), last=days_ago(1), words=[], counts=np.zeros((1, 0), np.int64),
        how=HowFound([], [], [], [], capped=False, joined=0, strictness=1.0),
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


def test_words_say_on_which_days_they_stood_out(version: Version) -> None:
    for day, words in ((3, GONE), (2, NEW), (1, GONE)):
        send_words(version, 1000, words=words, day=days_ago(day), seed=day)
    aggregate(version)
    histogram = of(3, 1)
    always = (days_ago(3), days_ago(1))
    assert seen(histogram) == {"lol": always, "able": always, "bits": (days_ago(2), days_ago(2))}


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


def test_what_came_late_is_a_period_of_its_own_day(version: Version) -> None:
    for seed in (1, 2):
        send_words(version, 60, seed=seed)
        aggregate(version)
    histogram = Histogram.objects.get()
    assert (histogram.n, len(histogram.discovery.sealings)) == (120, 2)
    assert seen(histogram)["lol"] == (days_ago(0), days_ago(0))


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


def test_a_list_of_a_day_does_not_make_the_next_week_new(version: Version) -> None:
    send_words(version, 1000, words=NEW, day=days_ago(9), seed=9)
    send_words(version, 1000, words=GONE, day=days_ago(3), seed=3)
    aggregate_until(version, 3)
    send_words(version, 1000, words=GONE, day=days_ago(2), seed=2)
    aggregate(version, days_ago(2), days_ago(2))
    assert (new(of(9, 3)), new(of(2, 2))) == (set(), set())
    send_words(version, 1000, words=NEW, day=days_ago(1), seed=1)
    aggregate_until(version, 1)
    assert new(of(3, 1)) == set(), "the week before had them all"


def test_of_lists_that_end_on_a_day_the_longest_says_what_is_new(version: Version) -> None:
    for day, words in ((4, NEW), (3, GONE), (2, NEW)):
        send_words(version, 1000, words=words, day=days_ago(day), seed=day)
    aggregate(version, days_ago(4), days_ago(3))
    aggregate(version, days_ago(3), days_ago(3))
    aggregate(version, days_ago(2), days_ago(2))
    assert new(of(2, 2)) == set()


def test_an_older_window_is_not_compared_with_a_newer(version: Version) -> None:
    for day, words in ((6, NEW), (5, NEW), (1, GONE)):
        send_words(version, 1000, words=words, day=days_ago(day), seed=day)
    aggregate(version, days_ago(1), days_ago(1))
    aggregate(version, days_ago(6), days_ago(6))
    assert new(of(6, 6)) == set(), "nothing was before"
    aggregate(version, days_ago(5), days_ago(5))
    assert new(of(5, 5)) == set(), "the day before had it"


def test_new_is_what_the_latest_publication_had_not(version: Version) -> None:
    send_words(version, 1000, words=GONE, day=days_ago(9), seed=9)
    aggregate_until(version, 9)
    assert new(of(9, 9)) == set(), "nothing was before"
    send_words(version, 1000, words=NEW, day=days_ago(8), seed=8)
    aggregate_until(version, 8)
    assert new(of(9, 8)) == {"bits"}
    for day in (2, 1):
        send_words(version, 1000, words=GONE, day=days_ago(day), seed=day)
    aggregate_until(version, 1)
    assert new(of(2, 1)) == set()
    send_words(version, 1000, words=NEW, day=days_ago(0), seed=4)
    aggregate(version, days_ago(1), days_ago(0))
    assert new(of(1, 0)) == {"bits"}, "it was found once, but not by the run before"


def test_a_window_that_is_replaced_is_what_its_successor_is_compared_with(version: Version) -> None:
    send_words(version, 1000, words=GONE, day=days_ago(0), seed=1)
    aggregate(version)
    send_words(version, 1000, words=NEW, day=days_ago(0), seed=2)
    aggregate(version)
    histogram = Histogram.objects.get()
    assert histogram.n == 2000
    assert new(histogram) == {"bits"}
    assert seen(histogram)["lol"] == (days_ago(0), days_ago(0))
