"""Lists of words compared: of two locales with letters of their own, and of two windows."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from aggregation.estimation import compare
from reports.models import Histogram, Version
from reports.results import QueryError, State
from reports.results.comparison import discovery_comparison
from reports.results.comparison.comparison_rows import Share, Verdict
from reports.words import Decided, decide
from tests.reports.comparing import comparison
from tests.reports.found_words import define_search, find
from tests.reports.results.comparison.seen import days_of
from tests.reports.small_fleet import aggregate, days_ago, define_words, send_words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


# Letters that devices of both locales report, and some that those of one do.
ALPHABETS = {"en_US": "abeilost", "fr_FR": "abeilosté"}


@pytest.fixture
@once
def words(db: None) -> Version:
    """Words of two locales; one of them has a letter that the other does not report."""
    version = define_words(alphabet=ALPHABETS)
    typed = {
        "en_US": {"lol": 0.6, "able": 0.25, "boat": 0.15},
        "fr_FR": {"lol": 0.2, "bébé": 0.5, "able": 0.3},
    }
    for seed, (locale, shares) in enumerate(typed.items()):
        send_words(version, 900, locale=locale, words=shares, day=days_ago(1), seed=seed)
    aggregate(version)
    return version


def test_words_of_two_locales_are_compared_where_both_report_their_letters(words: Version) -> None:
    view = comparison("words")
    found = {row.display: row for row in view.rows}
    assert set(found) == {"lol", "able", "boat", "bébé"}
    assert found["lol"].verdict == Verdict.MORE_IN_FIRST
    assert found["lol"].difference == pytest.approx(0.4, abs=0.1)
    # On the list of one locale alone: of the other only the bound is said.
    assert found["boat"].second == Share(at_most=view.compared.second_at_most if view.compared else None)
    assert found["boat"].difference is None
    assert found["bébé"].verdict == Verdict.NOT_COMPARABLE
    assert found["bébé"].first == Share()
    assert found["bébé"].second.value == pytest.approx(0.5, abs=0.1)
    (entry,) = (entry for entry in Histogram.objects.get(locale="en_US").entries if entry.display == "lol")
    assert found["lol"].first.value == pytest.approx(entry.estimate / 900, abs=1e-12)


def test_the_thresholds_of_words_are_those_of_their_lists(words: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    Histogram.objects.filter(locale="en_US").update(below_threshold=40)
    given: list[Any] = []

    def noted(*arguments: Any, **more: Any) -> Any:
        given.append((arguments, compare(*arguments, **more)))
        return given[-1][1]

    monkeypatch.setattr(discovery_comparison, "compare", noted)
    comparison("words")
    (((_mechanism, first, second), found),) = given
    # From as many candidates as there were, and not from the few words that are compared.
    assert (first.size, second.size) == (43, 3)
    histogram = Histogram.objects.get(locale="fr_FR")
    assert found.second.threshold == pytest.approx(histogram.threshold, rel=1e-9)


def test_words_of_two_windows_are_compared(words: Version) -> None:
    send_words(words, 900, words={"able": 0.9, "lol": 0.1}, day=days_ago(0), seed=7)
    aggregate(words, days_ago(0), days_ago(0))
    view = comparison("words", other_locale="en_US")
    assert days_of(view) == [(0, 0), (1, 1)]
    found = {row.display: row.verdict for row in view.rows}
    assert found["able"] == Verdict.MORE_IN_FIRST
    assert found["lol"] == found["boat"] == Verdict.MORE_IN_SECOND


def test_rejected_words_are_not_shown(words: Version, alice: User) -> None:
    decide(alice, words.use_case, "fr_FR", [Decided("able", "rejected", "", "")])
    view = comparison("words")
    assert "able" not in {row.display for row in view.rows}
    assert (view.total, view.hidden) == (3, 1)


def test_lists_whose_sketches_are_not_kept_are_not_compared() -> None:
    version = define_search()
    for locale in ("en_US", "fr_FR"):
        find(version, ["yeet"], locale=locale)
    assert comparison("slang").state == State.NOT_KEPT
    with pytest.raises(QueryError, match="looks for words"):
        comparison("slang", other_days="7")
