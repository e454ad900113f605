"""News: new words, new among the first, significant changes; each once, and nothing below T."""

import pytest
from django.contrib.auth.models import User

from reports.models import Subscription, UseCase, Version
from reports.notifications.composing import undelivered
from reports.notifications.news import Item, news_of
from reports.results import HistogramQuery
from reports.results.comparison import ComparisonQuery, ComparisonView, Verdict, comparison_view
from reports.words import Decided, decide
from tests.reports.entries import change_entries
from tests.reports.found_words import define_search, find
from tests.reports.notifications.conftest import publish, publish_shares, subscribe
from tests.reports.small_fleet import days_ago

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

TEN = [f"fruit-{number}" for number in range(10)]


def news(subscription: Subscription) -> list[Item]:
    """Return the news that would be told now."""
    return news_of(subscription, undelivered(subscription))


def told(subscription: Subscription) -> list[tuple[str, str, str]]:
    return [(item.kind, item.locale, item.element) for item in news(subscription)]


def test_what_was_published_before_is_not_news(version: Version, bob: User) -> None:
    publish(version, 2, TEN)
    publish(version, 1, ["apple", *TEN])
    assert told(subscribe(bob, version)) == []


def test_new_in_the_top_10_is_what_was_not_there_for_a_week(version: Version, bob: User) -> None:
    publish(version, 11, ["long ago", *TEN])
    publish(version, 4, ["date", *TEN])
    publish(version, 3, TEN)
    subscription = subscribe(bob, version)
    publish(version, 2, ["between", *TEN])
    publish(version, 1, ["apple", "long ago", "date", *TEN])
    # Every day since, the newest first; an eleventh is not in the top 10.
    expected = [("new_in_top", "en_US", element) for element in ("apple", "long ago", "between")]
    assert told(subscription) == expected
    apple, _long_ago, between = news(subscription)
    assert between.last_day == days_ago(2)
    assert (apple.rank, apple.share.value, apple.share.lower) == (1, 999 / 10_000, 880 / 10_000)


def test_the_first_list_there_is_has_nothing_to_be_compared_with(version: Version, bob: User) -> None:
    subscription = subscribe(bob, version)
    assert subscription.told == {}
    publish(version, 2, TEN)
    assert told(subscription) == []
    # The second has.
    publish(version, 1, ["apple", *TEN])
    assert told(subscription) == [("new_in_top", "en_US", "apple")]


def test_of_a_locale_alone_or_of_all(version: Version, bob: User) -> None:
    for locale in ("en_US", "fr_FR"):
        publish(version, 2, TEN, locale=locale)
    everywhere, french = subscribe(bob, version), subscribe(bob, version, locale="fr_FR")
    for locale in ("en_US", "fr_FR"):
        publish(version, 1, ["apple", *TEN], locale=locale)
    assert told(everywhere) == [("new_in_top", "en_US", "apple"), ("new_in_top", "fr_FR", "apple")]
    assert told(french) == [("new_in_top", "fr_FR", "apple")]


def test_a_day_that_is_not_over_is_no_news_yet(version: Version, bob: User) -> None:
    publish(version, 1, TEN)
    subscription = subscribe(bob, version)
    publish(version, 0, ["apple", *TEN])
    assert told(subscription) == []
    assert subscribe(bob, version).told == {"1:en_US": days_ago(1).isoformat()}


def test_what_was_not_asked_for_is_not_told(version: Version, bob: User) -> None:
    publish(version, 2, TEN)
    subscription = subscribe(bob, version, new_in_top=False)
    publish(version, 1, ["apple", *TEN])
    assert told(subscription) == []


def test_periods_of_several_days_are_compared_once(version: Version, bob: User) -> None:
    publish_shares(version, 3, [0.7, 0.3], first=days_ago(4))
    subscription = subscribe(bob, version)
    assert subscription.told == {"1:en_US": days_ago(3).isoformat()}
    publish_shares(version, 1, [0.3, 0.3, 0.4], first=days_ago(2))
    found = {(item.kind, item.element): item for item in news(subscription)}
    assert {("new_in_top", "cherry"), ("significant_change", "apple"), ("significant_change", "cherry")} <= set(found)
    item = found["significant_change", "apple"]
    assert (item.first_day, item.last_day) == (days_ago(2), days_ago(1))
    assert item.window_before == (days_ago(4), days_ago(3))
    subscription.told = undelivered(subscription)
    assert subscription.told == {"1:en_US": days_ago(1).isoformat()}
    assert told(subscription) == []


# --- Words ---


def test_new_words_are_told_once_as_the_newest_list_has_them(bob: User, alice: User) -> None:
    search = define_search()
    find(search, ["lol"], first=days_ago(9), last=days_ago(3))
    subscription = subscribe(bob, search, new_in_top=False, significant_change=False)
    find(search, ["yeet", "meh", "lol"], first=days_ago(8), last=days_ago(2))
    decide(alice, search.use_case, "en_US", [Decided("meh", "rejected")])
    find(search, ["lol", "rizz", "yeet"], first=days_ago(7), last=days_ago(1))
    change_entries(lambda entry: entry.display in {"yeet", "meh", "rizz"}, is_new=True)
    # The older list calls yeet new as well; who rejected a word does not want to hear of it.
    assert told(subscription) == [("new_word", "en_US", "rizz"), ("new_word", "en_US", "yeet")]
    assert [item.rank for item in news(subscription)] == [2, 3]
    subscription.told = undelivered(subscription)
    assert told(subscription) == []


def test_a_list_of_one_day_does_not_stand_for_the_week(bob: User) -> None:
    search = define_search()
    find(search, ["lol"], first=days_ago(8), last=days_ago(2))
    subscription = subscribe(bob, search, significant_change=False)
    find(search, ["lol"], first=days_ago(7), last=days_ago(1))
    find(search, ["yeet"], first=days_ago(1), last=days_ago(1))
    change_entries(lambda entry: entry.display == "yeet", is_new=True)
    assert told(subscription) == []


# --- Changes ---


def test_a_significant_change_has_its_interval(version: Version, bob: User) -> None:
    publish_shares(version, 2, [0.5, 0.3, 0.2])
    subscription = subscribe(bob, version, new_words=False, new_in_top=False)
    publish_shares(version, 1, [0.2, 0.3, 0.5])
    found = {item.element: item for item in news(subscription)}
    assert {"apple", "cherry"} <= set(found)
    assert (found["apple"].rises, found["cherry"].rises) == (False, True)
    for element, change in (("apple", -0.3), ("cherry", 0.3)):
        value, lower, upper, _at_most = found[element].difference
        before, share = found[element].before, found[element].share
        assert before is not None
        assert value is not None
        assert value == pytest.approx((share.value or 0) - (before.value or 0))
        assert value == pytest.approx(change, abs=0.05)
        assert (lower or 0) < value < (upper or 0)


def test_what_is_below_t_on_one_side_has_no_value_there(version: Version, bob: User) -> None:
    """A day is missing between the two: the newest one before is compared."""
    publish_shares(version, 3, [0.7, 0.3])
    subscription = subscribe(bob, version, new_words=False, new_in_top=False)
    publish_shares(version, 1, [0.3, 0.3, 0.4])
    assert {item.window_before for item in news(subscription)} == {(days_ago(3), days_ago(3))}
    (cherry,) = (item for item in news(subscription) if item.element == "cherry")
    assert cherry.rises
    assert cherry.before is not None
    assert cherry.before.value is None
    assert cherry.before.at_most is not None
    assert 0 < cherry.before.at_most < 0.1
    assert cherry.difference == (None, None, None, None)


def test_the_level_is_shared_out_among_all_comparisons_of_a_message(
    version: Version, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two days of one locale and one of another, each with one before it."""
    levels: list[float] = []

    def note(use_case: UseCase, query: ComparisonQuery, fdr: float) -> ComparisonView:
        levels.append(fdr)
        return comparison_view(use_case, query, fdr)

    monkeypatch.setattr("reports.notifications.news.comparison_view", note)
    for locale in ("en_US", "fr_FR"):
        publish_shares(version, 3, [0.7, 0.3], locale=locale)
    subscription = subscribe(bob, version)
    publish_shares(version, 2, [0.7, 0.3])
    for locale in ("en_US", "fr_FR"):
        publish_shares(version, 1, [0.3, 0.3, 0.4], locale=locale)
    assert {item.locale for item in news(subscription)} == {"en_US", "fr_FR"}
    assert levels == [pytest.approx(0.05 / 3)] * 3


def test_a_difference_must_be_clear_at_the_level_that_is_asked_for(version: Version, bob: User) -> None:
    """Above T on both sides, and on one alone."""
    publish_shares(version, 2, [0.56, 0.28, 0.16])
    publish_shares(version, 1, [0.40, 0.36, 0.16, 0.08])
    newer, older = (HistogramQuery(locale="en_US", first=day, last=day) for day in (days_ago(1), days_ago(2)))
    query = ComparisonQuery(newer, older)

    def clear(fdr: float) -> set[str]:
        rows = comparison_view(version.use_case, query, fdr).rows
        return {row.element for row in rows if row.verdict == Verdict.MORE_IN_FIRST}

    assert clear(0.05) == {"banana", "date"}
    assert clear(1e-15) == set()
