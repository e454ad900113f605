"""Results of each use case on the front page: its newest published window in a handful of numbers."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from reports.models import Histogram, UseCase, Version, WordDecision
from reports.results.latest import latest
from reports.results.latest_result import LEADERS, TREND_DAYS, Latest
from tests.reports.entries import change_entries
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def latest_of(version: Version) -> Latest | None:
    return latest([version.use_case])[version.use_case_id]


def shown(version: Version) -> Latest:
    found = latest_of(version)
    assert found is not None
    return found


def test_nothing_is_said_of_what_is_not_published() -> None:
    version = define()
    send(version, 20, day=days_ago(1))
    assert latest_of(version) is None
    aggregate(version)
    assert latest_of(version) is None
    assert latest([]) == {}


def test_it_is_what_the_page_of_the_use_case_shows_first() -> None:
    version = define()
    for day in (3, 2, 1):
        send(version, 200, day=days_ago(day))
    aggregate(version)
    found = shown(version)
    whole = Histogram.objects.get(locale="en_US", first_day=days_ago(3), last_day=days_ago(1))
    assert (found.locale, found.is_first_locale, found.discovers) == ("en_US", True, False)
    assert (found.first_day, found.last_day, found.n) == (days_ago(3), days_ago(1), 600)
    entries = list(whole.entries)[:LEADERS]
    assert [leader.display for leader in found.leaders] == [entry.display for entry in entries] != []
    assert [(leader.share, leader.lower, leader.upper) for leader in found.leaders] == [
        (entry.estimate / 600, entry.adjusted_lower / 600, entry.adjusted_upper / 600) for entry in entries
    ]
    # Days by themselves, however long the window is.
    assert [(point.day, point.n) for point in found.trend] == [(days_ago(day), 200) for day in (3, 2, 1)]


def test_at_most_three_lead() -> None:
    version = define()
    publish_day(version, 1, {"apple": 4000, "banana": 3000, "cherry": 2000, "date": 1000})
    assert [leader.display for leader in shown(version).leaders] == ["apple", "banana", "cherry"]


def test_the_trend_is_of_days_that_are_released_by_themselves() -> None:
    version = define()
    for day in (TREND_DAYS + 3, TREND_DAYS + 2, 5, 3):
        publish_day(version, day, {}, n=1000 + day)
    publish_day(version, 8, {}, first=days_ago(9))
    publish_day(version, 5, {}, n=500)  # the day again
    publish_day(version, 4, {}, locale="fr_FR")
    found = shown(version)
    assert [point.n for point in found.trend] == [1000 + TREND_DAYS + 2, 1505, 1003]


def test_another_locale_stands_in_for_one_without_results() -> None:
    version = define()
    publish_day(version, 1, {"apple": 1000}, locale="fr_FR")
    found = shown(version)
    assert (found.locale, found.is_first_locale) == ("fr_FR", False)


def test_a_new_version_takes_over_when_it_has_results() -> None:
    old = define()
    publish_day(old, 5, {"apple": 1000})
    new = define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "0e" * 16})
    assert shown(new).version == 1
    publish_day(new, 9, {"apple": 1000})
    assert shown(new).version == 2


def test_names_are_in_the_language_of_the_reader() -> None:
    version = define(normalization="emoji", dictionary=["❤️"])
    publish_day(version, 1, {"❤️": 1000})
    (leader,) = shown(version).leaders
    assert (leader.display, leader.name) == ("❤\ufe0f", "red heart")
    with translation.override("fr"):
        assert shown(version).leaders[0].name == "cœur rouge"


def test_lists_of_words_tell_how_many_are_new_and_leave_out_the_rejected() -> None:
    version = define_search()
    find(version, ["old"], first=days_ago(14), last=days_ago(8))
    find(version, ["old"], first=days_ago(9), last=days_ago(9))
    newest = find(version, ["bad", "old", "one", "two"])
    change_entries(lambda entry: entry.display != "old", of={"histogram": newest}, is_new=True)
    french = find(version, ["mot"], locale="fr_FR")
    change_entries(of={"histogram": french}, is_new=True)
    assert shown(version).new_words == 4
    decision = {"use_case": version.use_case, "locale": "en_US", "verdict": "rejected"}
    WordDecision.objects.create(word="bad", **decision)
    WordDecision.objects.create(word="mot", **decision)  # which is another locale's
    WordDecision.objects.create(word="one", **decision)
    WordDecision.objects.create(word="one", **decision | {"verdict": "undecided"})
    found = shown(version)
    assert found.discovers
    assert found.new_words == 3
    assert [leader.display for leader in found.leaders] == ["old", "one", "two"]
    # From lists that are as long as the newest.
    assert [point.day for point in found.trend] == [days_ago(8), newest.last_day]


def test_words_that_were_rejected_once_are_elements_of_a_dictionary_like_others() -> None:
    search = define_search()
    find(search, ["yeet"])
    WordDecision.objects.create(use_case=search.use_case, locale="en_US", verdict="rejected", word="yeet")
    counted = define(slug="slang", title="Slang", dictionary=["yeet", "lol"])
    publish_day(counted, 1, {"yeet": 2000, "lol": 1000})
    found = shown(counted)
    assert (found.version, found.discovers) == (2, False)
    assert [leader.display for leader in found.leaders] == ["yeet", "lol"]


def test_the_number_of_queries_does_not_grow() -> None:
    counts = []
    for number in range(3):
        version = define(slug=f"case-{number}", parameters={"epsilon": 8, "k": 64, "m": 64, "seed": f"{number:032x}"})
        for day in range(1, number + 2):
            publish_day(version, day, {"apple": 1000})
        use_cases = list(UseCase.objects.order_by("slug"))
        latest(use_cases)  # what is missing is made
        with CaptureQueriesContext(connection) as queries:
            found = latest(use_cases)
        counts.append(len(queries))
    assert counts == [counts[0]] * 3
    assert counts[0] <= 7
    assert [each and each.n for each in found.values()] == [10_000, 20_000, 30_000]
