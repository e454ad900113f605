"""What of discovered words may be published, and what is said of their days."""

import datetime

import pytest

from reports.models import Discovery, Histogram, ReadOut, Run, UseCase, Version
from reports.results.known import Known
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, estimates, send_words, words_definition

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

Window = tuple[datetime.date, datetime.date]
# Letters that stand for nothing else: one word has them, on some days.
GONE = {"lol": 0.6, "able": 0.4}
NEW = {"lol": 0.5, "able": 0.3, "bits": 0.2}


@pytest.fixture
def version() -> Version:
    return define_words()


def windows(*, replaced: bool = False) -> dict[Window, int]:
    found = Histogram.objects.filter(replaced=replaced)
    return {(histogram.first_day, histogram.last_day): histogram.n for histogram in found}


def aggregate_until(version: Version, day: int) -> Run:
    """As the task does after each day: a window of seven days."""
    return aggregate(version, last=days_ago(day))


def of(first: int, last: int) -> Histogram:
    return Histogram.objects.get(first_day=days_ago(first), last_day=days_ago(last), replaced=False)


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


def test_large_days_are_published_in_windows_that_slide(version: Version) -> None:
    for day in range(10, 0, -1):
        send_words(version, 120, day=days_ago(day), seed=day)
        aggregate_until(version, day)
    expected = {(days_ago(min(10, last + 6)), days_ago(last)): 120 * min(7, 11 - last) for last in range(1, 11)}
    assert windows() == expected
    assert not windows(replaced=True)


def test_small_days_make_the_next_window_wait_until_none_is_singled_out(version: Version) -> None:
    """The difference of two windows that overlap is the day that one has and the other has not."""
    for day in range(14, 0, -1):
        send_words(version, 60, day=days_ago(day), seed=day)
        aggregate_until(version, day)
    # One day is too few, two are enough; after that every window would single out days of 60 at its ends, until
    # none of its days was in an earlier one, or two at a time are.
    found = windows()
    assert (days_ago(14), days_ago(13)) in found
    assert (days_ago(14), days_ago(12)) not in found
    assert (days_ago(14), days_ago(11)) in found
    assert all(n >= 100 for n in found.values())
    known = Known(version, None, [("en_US", *window) for window in found])
    sealings = [set(histogram.sealings) for histogram in Histogram.objects.all()]
    sealings += [left - right for left in sealings for right in sealings if left - right]
    n = {read_out.sealing_id: read_out.n for read_out in known.read_outs["en_US"]}
    assert all(sum(n[sealing] for sealing in few) >= 100 for few in sealings)


def test_locales_are_judged_apart(version: Version) -> None:
    send_words(version, 150)
    send_words(version, 50, locale="fr_FR")
    aggregate(version)
    assert list(Histogram.objects.values_list("locale", flat=True)) == ["en_US"]


def test_a_few_late_reports_do_not_replace_a_window_and_many_do(version: Version) -> None:
    shown = []
    for reports in (120, 60, 60):
        send_words(version, reports, day=days_ago(0), seed=reports)
        aggregate(version)
        shown.append(Histogram.objects.get(replaced=False).n)
    assert shown == [120, 120, 240]
    old, kept = Histogram.objects.get(replaced=True), Histogram.objects.get(replaced=False)
    assert not old.entries.exists()
    assert estimates(kept)
    # What was named of its days is remembered with it.
    assert Discovery.objects.get(histogram=old).by_day


def test_a_window_is_not_published_while_some_of_it_is_not_sketched(version: Version) -> None:
    """As when the sketches of a run that failed half-way lie beside what another has sealed."""
    send_words(version, 300, day=days_ago(2))
    send_words(version, 300, day=days_ago(1), seed=1)
    aggregate(version)
    Histogram.objects.all().delete()
    ReadOut.objects.filter(day=days_ago(2)).delete()
    known = Known(version, None, [("en_US", days_ago(2), days_ago(1))])
    assert not known.is_all_read(("en_US", days_ago(2), days_ago(1)))
    aggregate(version)
    assert windows() == {(days_ago(2), days_ago(1)): 600}


def test_a_new_expectation_of_false_words_is_published_anew(version: Version) -> None:
    send_words(version, 300)
    aggregate(version)
    UseCase.objects.update(false_positive_rate=0.01)
    version.use_case.refresh_from_db()
    aggregate(version)
    assert (Histogram.objects.get(replaced=True).alpha, Histogram.objects.get(replaced=False).alpha) == (0.05, 0.01)


def test_publications_of_dictionaries_count_no_days() -> None:
    version = define()
    histogram = Histogram(version=version, locale="en_US", first_day=days_ago(2), last_day=days_ago(1), sealings=[1, 2])
    known = Known(version, None, [("en_US", days_ago(2), days_ago(1))])
    known._published["en_US"] = []
    known.add(histogram)
    assert known._published["en_US"] == [frozenset({1, 2})]


# --- Which days ---


def test_words_say_on_which_days_they_stood_out(version: Version) -> None:
    for day, words in ((3, GONE), (2, NEW), (1, GONE)):
        send_words(version, 1000, words=words, day=days_ago(day), seed=day)
    aggregate(version)
    histogram = of(3, 1)
    assert histogram.discovery.by_day
    always = (days_ago(3), days_ago(1))
    assert seen(histogram) == {"lol": always, "able": always, "bits": (days_ago(2), days_ago(2))}


def test_a_word_that_stands_out_over_the_window_only_has_no_days() -> None:
    """With more noise in the sketch of words, an eighth of 300 reports is nothing, and of 2100 it is something."""
    version = define_words(parameters=words_definition()["parameters"] | {"epsilon": 1})
    for day in range(7, 0, -1):
        send_words(version, 300, words={"lol": 0.87, "bits": 0.13}, day=days_ago(day), seed=day)
    aggregate(version)
    histogram = of(7, 1)
    assert histogram.discovery.by_day
    assert seen(histogram) == {"lol": (days_ago(7), days_ago(1)), "bits": (None, None)}


def test_days_are_not_named_where_one_of_them_could_not_be_published(version: Version) -> None:
    for day, reports in ((3, 1000), (2, 99), (1, 1000)):
        send_words(version, reports, day=days_ago(day), seed=day)
    aggregate(version)
    histogram = of(3, 1)
    assert not histogram.discovery.by_day
    assert set(seen(histogram).values()) == {(None, None)}


def test_named_days_count_as_published(version: Version) -> None:
    """A day that was named and then gets a few late reports must not be published with them."""
    send_words(version, 300, day=days_ago(2), seed=1)
    send_words(version, 300, day=days_ago(1), seed=2)
    aggregate(version)
    assert of(2, 1).discovery.by_day
    day = frozenset(version.sealings.filter(day=days_ago(1)).values_list("pk", flat=True))
    window = ("en_US", days_ago(2), days_ago(1))
    known = Known(version, None, [window])
    known.singles_out(window, 10**6)
    assert day in known._published["en_US"]
    assert len(known._published["en_US"]) == 3
    Discovery.objects.update(by_day=False)
    known = Known(version, None, [window])
    known.singles_out(window, 10**6)
    assert known._published["en_US"] == [frozenset(of(2, 1).sealings)]


def test_days_that_a_named_day_would_single_out_are_not_published(version: Version) -> None:
    """Of 150 reports and 50, the window may be shown; with the day of 150 it would tell of the 50."""
    send_words(version, 150, day=days_ago(2), seed=1)
    aggregate(version)
    assert of(2, 2).discovery.by_day
    send_words(version, 50, day=days_ago(1), seed=2)
    aggregate(version)
    assert windows() == {(days_ago(2), days_ago(2)): 150}


def test_days_are_not_named_that_would_single_out_what_came_late(version: Version) -> None:
    """The day has 180 reports, of which 120 were shown by themselves."""
    send_words(version, 120, seed=1)
    aggregate(version)
    send_words(version, 60, seed=2)
    send_words(version, 300, day=days_ago(1), seed=3)
    aggregate(version, days_ago(1))
    assert of(1, 0).n == 480
    assert not of(1, 0).discovery.by_day


def test_days_below_a_minimum_that_was_raised_are_not_named_again(version: Version) -> None:
    send_words(version, 150, day=days_ago(1))
    aggregate(version)
    UseCase.objects.update(minimum_reports=200)
    send_words(version, 300, day=days_ago(2), seed=2)
    aggregate(version)
    assert of(2, 1).n == 450
    assert not of(2, 1).discovery.by_day


def test_the_sealings_of_a_day_are_judged_together(version: Version) -> None:
    for seed in (1, 2):
        send_words(version, 60, seed=seed)
        aggregate(version)
    histogram = Histogram.objects.get()
    assert (histogram.n, len(histogram.sealings)) == (120, 2)
    assert histogram.discovery.by_day
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


def test_days_are_kept_when_no_more_may_be_named(version: Version) -> None:
    send_words(version, 1000, words=NEW, day=days_ago(1))
    aggregate(version)
    assert seen(of(1, 1))["bits"] == (days_ago(1), days_ago(1))
    for day in (3, 2):
        send_words(version, 60, words=NEW, day=days_ago(day))
    aggregate(version)
    assert not of(3, 1).discovery.by_day
    assert seen(of(3, 1))["bits"] == (days_ago(1), days_ago(1))


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
    histogram = Histogram.objects.get(replaced=False)
    assert histogram.n == 2000
    assert new(histogram) == {"bits"}
    assert seen(histogram)["lol"] == (days_ago(0), days_ago(0))
