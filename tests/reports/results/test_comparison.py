"""Two sides of a comparison: which they are, what is said of their differences, and why nothing is."""

import json
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aggregation.accuracy import Side as CountedSide
from aggregation.accuracy import compare
from reports.models import DictionaryRevision, Histogram, ReadOut, Run, UseCase, Version
from reports.results import QueryError, State
from reports.results.comparison import counts as comparison_counts
from reports.results.comparison import view as results
from reports.results.comparison import words as comparison_words
from reports.results.comparison.counts import as_rows, compare_elements
from reports.results.comparison.query import ComparisonQuery
from reports.results.comparison.rows import Row, Share, Verdict
from reports.results.known import Window, sum_of
from reports.results.publish import publish_window
from reports.results.published_windows import published_windows
from reports.runs import start_run
from reports.words import Decided, decide
from tests.aggregation.helpers import count_mean
from tests.reports.comparing import EATEN, comparison, send_shares
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, definition, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# Letters that devices of both locales report, and some that those of one do.
ALPHABETS = {"en_US": "abeilost", "fr_FR": "abeilosté"}


@pytest.fixture
def both(db: None) -> Version:
    """A day of two locales."""
    version = define()
    for seed, locale in ((0, "en_US"), (2, "fr_FR")):  # with almost as many bananas
        send_shares(version, 3000, locale=locale, day=days_ago(1), seed=seed)
    aggregate(version)
    return version


def by_element(view: Any) -> dict[str, Any]:
    return {row.element: row for row in view.rows}


def days_of(view: Any) -> list[tuple[int, int]]:
    """How many days ago the windows of both sides begin and end."""
    today = days_ago(0)
    return [((today - side.days[0]).days, (today - side.days[1]).days) for side in view.sides]


# --- What is compared ---


def test_of_several_locales_the_first_two_are_compared_over_the_newest_window_of_both(both: Version) -> None:
    view = comparison()
    assert [side.locale for side in view.sides] == ["en_US", "fr_FR"]
    assert (view.state, days_of(view)) == (State.SHOWN, [(1, 1), (1, 1)])
    # English has a newer day, and French an older one.
    send_shares(both, 300, day=days_ago(0))
    send_shares(both, 300, locale="fr_FR", day=days_ago(3))
    aggregate(both)
    assert days_of(comparison()) == [(1, 1), (1, 1)]
    assert [side.locale for side in comparison(locale="fr_FR").sides] == ["fr_FR", "en_US"]


def test_of_several_windows_that_end_on_the_newest_day_the_longest_up_to_four_weeks_is_taken() -> None:
    version = define()
    for day in (40, 9, 2):
        for locale in EATEN:
            send_shares(version, 300, locale=locale, day=days_ago(day))
    aggregate(version, days_ago(40), days_ago(40))
    aggregate(version)
    assert days_of(comparison()) == [(2, 2), (2, 2)]
    aggregate(version, days_ago(9), days_ago(2))
    assert days_of(comparison()) == [(9, 2), (9, 2)]


def test_of_one_locale_the_newest_day_is_compared_with_the_one_before() -> None:
    version = define(locales=["en_US"])
    for day in (4, 3, 1):
        send_shares(version, 300, day=days_ago(day))
    aggregate(version)
    assert days_of(comparison()) == [(1, 1), (3, 3)]


def test_of_one_locale_with_two_weeks_the_newest_seven_days_are_compared_with_those_before() -> None:
    version = define(locales=["en_US"], minimum_reports=20)
    for day in range(1, 15):
        send_shares(version, 20, day=days_ago(day), seed=day)
    aggregate(version)
    view = comparison()
    assert days_of(view) == [(7, 1), (14, 8)]
    assert (view.state, view.compared.overlapping) == (State.SHOWN, False)


def test_windows_that_nobody_asked_for_do_not_move_with_the_day_where_days_are_too_few() -> None:
    version = define(locales=["en_US"])
    for day in (1, 4, 8, 11, 15, 18):  # two in each week, whichever day it is
        send_shares(version, 60, day=days_ago(day), seed=day)
    aggregate(version)
    first, second = comparison().sides
    assert (first.query.first.isoweekday(), first.query.last.isoweekday()) == (1, 7)
    assert (first.query.first - second.query.first).days == 7
    assert first.histogram.n == second.histogram.n == 120


def test_the_window_of_one_side_is_that_of_the_other_locale_or_the_time_before() -> None:
    version = define()
    for day in (4, 3, 2, 1):
        for locale in EATEN:
            send_shares(version, 200, locale=locale, day=days_ago(day))
    aggregate(version)
    window = {"from_": str(days_ago(2)), "to": str(days_ago(1))}
    other = {f"other-{name.rstrip('_')}": value for name, value in window.items()}
    assert days_of(comparison(**window)) == days_of(comparison(**other)) == [(2, 1), (2, 1)]
    assert days_of(comparison(**window, other_locale="en_US")) == [(2, 1), (4, 3)]
    assert days_of(comparison(**other, other_locale="en_US")) == [(4, 3), (2, 1)]
    assert days_of(comparison(days="2", other_locale="en_US")) == [(2, 1), (4, 3)]
    assert days_of(comparison(**window, other_from=str(days_ago(4)))) == [(2, 1), (4, 1)]


def test_of_one_locale_a_length_on_both_sides_is_of_days_one_after_the_other() -> None:
    version = define()
    for day in (4, 3, 2, 1):
        for locale in EATEN:
            send_shares(version, 200, locale=locale, day=days_ago(day))
    aggregate(version)
    of_one = {"other_locale": "en_US"}
    view = comparison(days="2", other_days="2", **of_one)
    assert (view.state, days_of(view)) == (State.SHOWN, [(2, 1), (4, 3)])
    assert days_of(comparison(days="1", other_days="3", **of_one)) == [(1, 1), (4, 2)]
    assert days_of(comparison(from_=str(days_ago(2)), to=str(days_ago(2)), other_days="1", **of_one)) == [
        (2, 2),
        (3, 3),
    ]
    # Unless it is said where it ends; and of two locales the same days are compared.
    until = {"other_to": str(days_ago(1))}
    assert days_of(comparison(days="2", other_days="2", **until, **of_one)) == [(2, 1), (2, 1)]
    assert days_of(comparison(days="2", other_days="2")) == [(2, 1), (2, 1)]
    # Where the first side has nothing to show, there is nothing to count back from.
    sides = comparison(from_=str(days_ago(0)), other_days="2", **of_one).sides
    assert [side.histogram is None for side in sides] == [True, False]


def test_windows_are_found_of_which_there_is_something_to_see() -> None:
    version = define(locales=["en_US"])
    for day, reports in ((6, 60), (5, 60), (4, 200), (3, 200), (1, 200)):
        send_shares(version, reports, day=days_ago(day), seed=day)
    aggregate(version)

    def window(first: int, last: int) -> Window:
        return "en_US", days_ago(first), days_ago(last)

    # Days by themselves, what they add up to, and a window that is published although its days are not.
    shown = {window(1, 1), window(4, 3), window(4, 1), window(2, 0), window(6, 5)}
    # Too few reports; some days of too few; none.
    others = {window(6, 6), window(6, 4), window(2, 2), window(9, 7)}
    assert publish_window(version, *window(6, 5)) is not None
    with CaptureQueriesContext(connection) as queries:
        assert published_windows(version, shown | others) == shown
    assert len(queries) == 2
    assert published_windows(version, set()) == set()


def test_what_no_version_has_is_refused_by_its_name() -> None:
    define()
    for parameters, field in (
        ({"locale": "xx"}, "locale"),
        ({"other_locale": "xx"}, "other-locale"),
        ({"other_from": "yesterday"}, "other-from"),
        ({"from_": "2026-02-02", "to": "2026-02-01"}, "to"),
        ({"version": "9"}, "version"),
        ({"sort": "rank"}, "sort"),
    ):
        with pytest.raises(QueryError) as refused:
            comparison(**parameters)
        assert refused.value.field == field


def test_a_query_is_written_as_it_was_read_and_can_be_turned_round() -> None:
    parameters = {
        "locale": "en_US", "from": "2026-02-01", "other-locale": "fr_FR", "other-to": "2026-02-09", "other-days": "7",
        "version": "2", "top": "9", "q": "an", "sort": "-first",
    }  # fmt: skip
    query = ComparisonQuery.from_parameters(parameters)
    assert query.parameters() == parameters
    turned = query.swapped()
    assert (turned.first, turned.second, turned.sort) == (query.second, query.first, "-second")
    assert turned.swapped() == query
    assert ComparisonQuery().parameters() == {}
    assert query.without("other-days").parameters() == {k: v for k, v in parameters.items() if k != "other-days"}


# --- What is said of it ---


def test_shares_are_those_of_the_published_histograms_and_differences_are_theirs(both: Version) -> None:
    found = by_element(comparison())
    assert set(found) == {"apple", "banana", "cherry", "date"}
    for side, locale in (("first", "en_US"), ("second", "fr_FR")):
        for entry in Histogram.objects.get(locale=locale).entries.all():
            share = getattr(found[entry.element], side)
            expected = (entry.estimate / 3000, entry.adjusted_lower / 3000, entry.adjusted_upper / 3000)
            assert tuple(share[:3]) == expected
            assert share.at_most is None
    apple = found["apple"]
    assert apple.difference == pytest.approx(apple.first.value - apple.second.value, abs=1e-12)
    assert apple.lower < apple.difference < apple.upper


def test_clear_differences_are_said_in_words(both: Version) -> None:
    view = comparison()
    verdicts = {element: row.verdict for element, row in by_element(view).items()}
    assert verdicts == {
        "apple": Verdict.MORE_IN_FIRST,
        "banana": Verdict.NO_CLEAR_DIFFERENCE,
        "cherry": Verdict.MORE_IN_SECOND,
        "date": Verdict.MORE_IN_FIRST,
    }
    assert (view.total, view.more_in_first, view.more_in_second) == (4, 2, 1)


def hidden_numbers(version: Version, element: str, locale: str) -> set[str]:
    """How the estimate, and the share, of what is below its threshold would be written, rounded or not."""
    revision = version.current_dictionary()
    assert revision is not None
    read_outs = list(ReadOut.objects.filter(version=version, locale=locale))
    n = sum(each.n for each in read_outs)
    position = revision.entries.get(element=element).position
    count = float(version.mechanism.estimate(sum_of(read_outs, revision.size), n)[position])
    return {repr(number)[:9] for number in (count, count / n, 100 * count / n)}


def test_below_the_threshold_there_is_a_bound_and_never_the_value(both: Version) -> None:
    view = comparison()
    date = by_element(view)["date"]
    at_most = view.compared.second_at_most
    assert date.second == Share(at_most=at_most)
    assert 0 < at_most < 0.1
    assert date.difference is None
    # Of the other side what is published, and of this one the bound.
    assert date.upper == pytest.approx(date.first.upper, rel=0.3)
    assert date.first.lower - 2 * at_most < date.lower < date.first.lower
    written = json.dumps(view.document()) + repr(view.compared)
    hidden = hidden_numbers(both, "date", "fr_FR")
    assert len(hidden) == 3
    assert not [number for number in hidden if number in written]
    # What is above is written.
    assert [number for number in hidden_numbers(both, "apple", "fr_FR") if number in written]
    assert "fig" not in written


def test_the_document_says_where_it_comes_from(both: Version) -> None:
    document = comparison(top="2", sort="name").document()
    assert document is not None
    assert [entry["element"] for entry in document["entries"]] == ["apple", "cherry"]
    assert (document["use_case"], document["version"], document["listed"]) == ("fruits", 1, 4)
    assert (document["alpha"], document["false_discovery_rate"], document["dictionary_size"]) == (0.05, 0.05, 6)
    for side, locale in (("first", "en_US"), ("second", "fr_FR")):
        histogram = Histogram.objects.get(locale=locale)
        about = document[side]
        assert (about["locale"], about["n"], about["threshold"]) == (locale, 3000, histogram.threshold)
        assert (about["first_day"], about["last_day"]) == (str(days_ago(1)), str(days_ago(1)))


def test_rows_are_sorted_by_what_is_shown_of_them(both: Version) -> None:
    def order(sort: str, **more: str) -> list[str]:
        return [row.element for row in comparison(sort=sort, **more).rows]

    assert order("difference") == ["cherry", "apple", "date", "banana"]
    assert order("-difference") == ["banana", "date", "apple", "cherry"]
    assert order("first")[:2] == ["apple", "banana"]
    assert order("second")[0] == "cherry"
    assert order("second")[-1] == "date"  # which has no share there
    assert order("name") == ["apple", "banana", "cherry", "date"]
    assert order("-name", top="2") == ["cherry", "apple"]
    assert order("significance")[-1] == "banana"
    assert order("difference", q="AN") == ["banana"]
    assert order("difference", top="1") == ["cherry"]


def test_of_what_is_below_only_bounds_count_for_the_order() -> None:
    def row(difference: float | None, lower: float, upper: float, verdict: Verdict) -> Row:
        return Row("x", "x", "", Share(), Share(), difference, lower, upper, verdict)

    clear = Verdict.MORE_IN_FIRST
    assert row(None, 0.1, 0.5, clear).least == 0.1
    assert row(None, -0.5, -0.2, clear).least == 0.2
    assert row(None, -0.1, 0.2, clear).least == 0
    assert row(-0.3, -0.4, -0.2, clear).least == 0.3
    assert row(0.3, 0.2, 0.4, clear).clearness > row(0.3, 0.1, 0.5, clear).clearness
    assert row(0.3, 0.1, 0.5, clear).clearness > row(0.3, 0.2, 0.4, Verdict.NO_CLEAR_DIFFERENCE).clearness


def test_no_order_verdict_or_count_depends_on_what_is_hidden() -> None:
    """Three are below T on the second side; what their estimates are there goes round."""
    mechanism, n = count_mean("4", 65536, 1024), 50_000
    zero, one = mechanism.estimate(np.array([0, 1]), n)

    def said(*hidden: float) -> tuple[object, ...]:
        counts = ((9000, 450, 480, 5000, 0, *[0] * 95), (9900, *hidden, 3000, *[0] * 95))
        sides = [CountedSide(np.round((np.array(side) - zero) / (one - zero)).astype(np.int64), n) for side in counts]
        texts = [(place, name, name, "") for place, name in enumerate("abcde")]
        rows = list(as_rows(compare(mechanism, *sides, alpha=0.05), texts, overlapping=False).rows)
        assert [row.second.value is None for row in rows] == [False, True, True, True, False]
        orders = [
            [row.element for row in results._sorted(rows, order)]
            for order in ("difference", "significance", "first", "second")
        ]
        ends = [(f"{row.lower:.10g}", f"{row.upper:.10g}", row.difference) for row in rows]
        return orders, ends, [row.verdict for row in rows]

    values = (-600, 100, 250)
    first = said(*values)
    assert first == said(*values[1:], values[0]) == said(values[2], *values[:2])
    verdicts = Verdict.MORE_IN_SECOND, *[Verdict.NO_CLEAR_DIFFERENCE] * 2, Verdict.MORE_IN_FIRST, Verdict.MORE_IN_SECOND
    assert first[2] == list(verdicts)


def test_reports_on_both_sides_are_taken_into_account(monkeypatch: pytest.MonkeyPatch) -> None:
    version = define()
    for day in (3, 2, 1):
        send_shares(version, 300 + day, day=days_ago(day), seed=day)
    aggregate(version)
    given: list[Any] = []

    def noted(mechanism: Any, first: Any, second: Any, **more: Any) -> Any:
        given.append((first, second, more["shared"]))
        return compare(mechanism, first, second, **more)

    monkeypatch.setattr(comparison_counts, "compare", noted)
    window = {"from_": str(days_ago(3)), "to": str(days_ago(2)), "other_from": str(days_ago(2))}
    view = comparison(**window, other_to=str(days_ago(1)), other_locale="en_US")
    assert view.compared is not None
    assert view.compared.overlapping
    ((first, second, shared),) = given
    assert (first.n, second.n, shared.n) == (605, 603, 302)
    read_outs = {read_out.day: sum_of([read_out], 6) for read_out in ReadOut.objects.all()}
    assert np.array_equal(first.read_out, read_outs[days_ago(3)] + read_outs[days_ago(2)])
    assert np.array_equal(second.read_out, read_outs[days_ago(2)] + read_outs[days_ago(1)])
    assert np.array_equal(shared.read_out, read_outs[days_ago(2)])


def test_it_is_computed_once_for_each_publication(both: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []

    def counted(*arguments: Any) -> Any:
        computed.append(1)
        return compare_elements(*arguments)

    monkeypatch.setattr(results, "compare_elements", counted)
    rows = comparison().rows
    assert comparison(sort="name").total == len(rows) == 4
    assert comparison().rows == rows
    assert len(computed) == 1
    comparison(locale="fr_FR")
    assert len(computed) == 2
    send_shares(both, 300, day=days_ago(0))
    aggregate(both)
    assert comparison().rows == rows
    assert len(computed) == 3
    # The same first side, and another second.
    days = {"from_": str(days_ago(1)), "to": str(days_ago(1)), "other_from": str(days_ago(0)), "other_to": ""}
    assert comparison(**days, other_locale="en_US").rows != rows
    assert len(computed) == 4


# --- Why there is nothing to compare ---


def test_each_side_says_why_it_is_not_there() -> None:
    version = define()
    assert [side.state for side in comparison().sides] == [State.NO_DATA] * 2
    send_shares(version, 300, day=days_ago(1))
    assert [side.state for side in comparison().sides] == [State.WAITING, State.NO_DATA]
    run = start_run(version, ring=False)
    # The run has nothing to do with a side that has no reports.
    assert [side.state for side in comparison().sides] == [State.WAITING, State.NO_DATA]
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.")
    assert [side.state for side in comparison().sides] == [State.FAILED, State.NO_DATA]
    Run.objects.filter(pk=run.pk).update(state=Run.State.WAITING)
    send_shares(version, 99, locale="fr_FR", day=days_ago(1))
    aggregate(version)
    view = comparison()
    assert [side.state for side in view.sides] == [State.SHOWN, State.BELOW_MINIMUM]
    assert (view.state, view.document(), view.compared) == (State.BELOW_MINIMUM, None, None)
    assert "99" not in repr(view.sides)


def test_a_window_that_would_single_out_a_few_is_not_made_for_a_comparison() -> None:
    version = define(locales=["en_US"])
    send_shares(version, 300, day=days_ago(3))
    send_shares(version, 20, day=days_ago(2))
    send_shares(version, 300, day=days_ago(1))
    aggregate(version)
    # All of them is published, and the oldest day: with the newest, those between could be told.
    window = {"from_": str(days_ago(1)), "to": str(days_ago(1))}
    view = comparison(**window, other_from=str(days_ago(3)), other_to=str(days_ago(3)))
    assert [side.state for side in view.sides] == [State.BELOW_MINIMUM, State.SHOWN]
    assert not Histogram.objects.filter(first_day=days_ago(1)).exists()


def test_nothing_above_on_either_side_is_a_state_of_its_own() -> None:
    version = define(dictionary=["quince"])
    for locale in EATEN:
        send_shares(version, 500, locale=locale, day=days_ago(1))
    aggregate(version)
    view = comparison()
    assert (view.state, view.rows, view.total) == (State.NONE_ABOVE, (), 0)
    document = view.document()
    assert document is not None
    assert document["entries"] == []


def test_a_window_is_not_compared_with_itself(both: Version) -> None:
    # The one day there is, asked for in two ways.
    view = comparison(from_=str(days_ago(9)), other_from=str(days_ago(1)), other_locale="en_US")
    assert (view.state, view.document()) == (State.SAME_REPORTS, None)


def test_an_older_dictionary_is_counted_anew_if_the_reports_are_there(both: Version) -> None:
    for locale in EATEN:
        send_shares(both, 300, locale=locale, day=days_ago(0))
    items = [*definition()["dictionary"], "quince"]
    version = define(dictionary=items)
    assert version == both
    window = {"from_": str(days_ago(1)), "to": str(days_ago(1)), "other_locale": "en_US"}
    sides = window | {"other_from": str(days_ago(0)), "other_to": str(days_ago(0))}
    aggregate(version, days_ago(0), days_ago(0))
    # The older window is of the older dictionary alone.
    assert set(Histogram.objects.values_list("revision__number", flat=True)) == {1, 2}
    assert comparison(**sides).state == State.OTHER_RULES
    aggregate(version)
    Histogram.objects.filter(last_day=days_ago(1), replaced=False, locale="en_US").update(
        revision=DictionaryRevision.objects.get(number=1)
    )
    view = comparison(**sides)
    assert view.state == State.SHOWN
    assert {histogram.revision.number for histogram in view.histograms or () if histogram.revision} == {2}


def test_another_rate_of_false_entries_is_made_the_same(both: Version) -> None:
    Histogram.objects.filter(locale="fr_FR").update(alpha=0.5)
    view = comparison()
    assert view.state == State.SHOWN
    assert {histogram.alpha for histogram in view.histograms or ()} == {0.05}


def test_without_the_counts_nothing_is_compared(both: Version) -> None:
    ReadOut.objects.filter(locale="fr_FR").delete()
    window = {"from_": str(days_ago(1)), "to": str(days_ago(1))}
    view = comparison(**window)
    assert (view.state, view.document()) == (State.NOT_KEPT, None)


def test_a_version_that_nobody_activated_has_nothing() -> None:
    Version.objects.filter(pk=define().pk).update(state=Version.State.DRAFT)
    view = comparison()
    assert (view.state, view.version, view.sides, view.document()) == (State.NO_DATA, None, None, None)


# --- Words ---


@pytest.fixture
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
    entry = Histogram.objects.get(locale="en_US", replaced=False).entries.get(display="lol")
    assert found["lol"].first.value == pytest.approx(entry.estimate / 900, abs=1e-12)


def test_the_thresholds_of_words_are_those_of_their_lists(words: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where F2 was not kept when they were published."""
    Histogram.objects.filter(locale="fr_FR").update(f2=None)
    Histogram.objects.filter(locale="en_US").update(below_threshold=40)
    given: list[Any] = []

    def noted(*arguments: Any, **more: Any) -> Any:
        given.append((arguments, compare(*arguments, **more)))
        return given[-1][1]

    monkeypatch.setattr(comparison_words, "compare", noted)
    comparison("words")
    (((_mechanism, first, second), found),) = given
    # Of as many candidates as there were, and not of the few words that are compared.
    assert (first.size, second.size) == (43, 3)
    histogram = Histogram.objects.get(locale="fr_FR", replaced=False)
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


# --- What it costs ---


def test_the_number_of_queries_does_not_grow(both: Version, django_assert_max_num_queries: Any) -> None:
    comparison()
    with django_assert_max_num_queries(12) as few:
        comparison()
    for day in range(2, 5):
        for locale in EATEN:
            send_shares(both, 120, locale=locale, day=days_ago(day))
    aggregate(both)
    comparison()
    with django_assert_max_num_queries(12) as many:
        assert comparison().state == State.SHOWN
    assert len(few) == len(many)
    assert UseCase.objects.count() == 1
