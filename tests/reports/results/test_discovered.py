"""Which window of discovered words is shown; runs publish them, pages only choose."""

from typing import Any

import pytest

from reports.models import Histogram, Part, Run, UseCase, Version
from reports.results import HistogramQuery, State, histogram_view
from reports.results.discovered import days_to_search, outcomes, refused_since
from reports.runs import finish_inline, start_run
from reports.runs.parts import begin
from tests.reports.small_fleet import aggregate, days_ago, define_words, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def view(**parameters: str) -> Any:
    query = HistogramQuery.from_parameters({name.rstrip("_"): value for name, value in parameters.items()})
    return histogram_view(UseCase.objects.get(), query)


def days(first: int, last: int) -> dict[str, str]:
    return {"from_": str(days_ago(first)), "to": str(days_ago(last))}


@pytest.fixture
def version() -> Version:
    """Reports of three days, none of them sealed."""
    version = define_words()
    for day in (4, 3, 2):
        send_words(version, 400, day=days_ago(day), seed=day)
    return version


def test_states_follow_the_life_of_a_search() -> None:
    version = define_words()
    assert view().state == State.NO_DATA
    send_words(version, 400)
    assert view().state == State.WAITING
    run = start_run(version, ring=False)
    assert (view().state, view().run) == (State.WAITING, run)
    Run.objects.update(state=Run.State.FAILED)
    assert view().state == State.FAILED
    Run.objects.update(state=Run.State.WAITING)
    aggregate(version)
    assert (view().state, view().run) == (State.SHOWN, None)
    assert [row.display for row in view().rows] == ["lol", "able", "it's", "o"]
    assert view(locale="fr_FR").state == State.NO_DATA


def test_a_page_makes_no_window(version: Version) -> None:
    aggregate(version)
    made = Histogram.objects.count()
    for first, last in ((4, 3), (3, 3)):
        found = view(**days(first, last))
        assert (found.state, found.histogram, found.rows) == (State.NOT_SEARCHED, None, ())
    assert view(from_=str(days_ago(3))).state == State.NOT_SEARCHED
    assert Histogram.objects.count() == made


def test_the_same_days_asked_for_in_a_wider_way_are_the_same_window(version: Version) -> None:
    aggregate(version)
    newest = view().histogram
    assert (newest.first_day, newest.last_day, newest.n) == (days_ago(4), days_ago(2), 1200)
    assert view(**days(4, 2)).histogram == newest
    assert view(**days(9, 0)).histogram == newest
    assert view(to=str(days_ago(1))).histogram == newest
    assert view(**days(9, 5)).state == State.NO_DATA


def test_a_list_stays_reachable_when_more_reports_have_come(version: Version) -> None:
    aggregate(version)
    newest = view().histogram
    send_words(version, 400, day=days_ago(1))
    assert view().histogram == newest
    assert view(**days(4, 2)).histogram == newest
    assert view(**days(4, 1)).state == State.NOT_SEARCHED


def test_below_the_minimum_nothing_is_shown_however_it_is_asked_for() -> None:
    version = define_words()
    send_words(version, 99, day=days_ago(2))
    aggregate(version)
    assert (view().state, view().histogram) == (State.BELOW_MINIMUM, None)
    assert view(**days(2, 2)).state == State.BELOW_MINIMUM
    assert view(**days(5, 2)).state == State.BELOW_MINIMUM
    send_words(version, 500, day=days_ago(1))
    assert view().state == State.WAITING
    assert view(**days(2, 1)).state == State.NOT_SEARCHED


def test_a_window_that_would_single_out_a_few_is_below_the_minimum() -> None:
    version = define_words()
    send_words(version, 400, day=days_ago(3))
    send_words(version, 400, day=days_ago(2))
    send_words(version, 50, day=days_ago(1))
    aggregate(version, days_ago(3), days_ago(2))
    aggregate(version, days_ago(3), days_ago(1))
    assert view(**days(3, 1)).state == State.BELOW_MINIMUM
    assert view().histogram.n == 800


def test_a_lower_minimum_makes_it_worth_while_to_look_again() -> None:
    """No words were looked for, because there was nothing that could have been published."""
    version = define_words(minimum_reports=1000)
    for day in (9, 2, 1):
        send_words(version, 200, day=days_ago(day), seed=day)
    aggregate(version, days_ago(9))
    assert not Part.objects.filter(step=Part.Step.WORDS).exists()
    assert (view().state, view(**days(9, 1)).state) == (State.BELOW_MINIMUM, State.BELOW_MINIMUM)
    # By default words are looked for in the last days, in which there are still too few.
    UseCase.objects.update(minimum_reports=401)
    assert (view().state, view(**days(9, 1)).state) == (State.BELOW_MINIMUM, State.NOT_SEARCHED)
    UseCase.objects.update(minimum_reports=400)
    assert (view().state, view(**days(9, 1)).state) == (State.NOT_SEARCHED, State.NOT_SEARCHED)
    aggregate(Version.objects.get())
    assert (view().state, view().histogram.n) == (State.SHOWN, 400)


def test_a_locale_without_reports_in_the_last_days_stays_below_the_minimum() -> None:
    version = define_words(minimum_reports=1000)
    send_words(version, 500, locale="fr_FR", day=days_ago(9))
    send_words(version, 500, day=days_ago(1))
    aggregate(version, days_ago(9))
    UseCase.objects.update(minimum_reports=100)
    assert (view().state, view(locale="fr_FR").state) == (State.NOT_SEARCHED, State.BELOW_MINIMUM)


def test_a_window_whose_run_was_overtaken_may_be_searched_again() -> None:
    """Between planning and publishing, a run over other days saw more of the last one."""
    version = define_words()
    for day in (1, 0):
        send_words(version, 400, day=days_ago(day), seed=day)
    overtaken = start_run(version, ring=False)
    begin(overtaken.pk)
    send_words(version, 400, day=days_ago(0), seed=3)
    aggregate(version, days_ago(0))
    assert finish_inline(overtaken.pk, lambda _progress: None).state == Run.State.FINISHED
    assert view().histogram.n == 800
    assert view(**days(1, 0)).state == State.NOT_SEARCHED
    aggregate(version, days_ago(1), days_ago(0))
    assert view(**days(1, 0)).histogram.n == 1200


def test_of_a_list_is_known_that_newer_reports_may_not_be_shown() -> None:
    version = define_words()
    send_words(version, 400, day=days_ago(5))
    aggregate(version)
    histogram = view().histogram
    assert refused_since(histogram) is None, "there are no newer reports"
    send_words(version, 50, day=days_ago(2))
    send_words(version, 400, locale="fr_FR", day=days_ago(1))
    assert refused_since(histogram) is None, "nobody has looked"
    start_run(version, ring=False)
    assert refused_since(histogram) is None, "nobody has looked yet"
    aggregate(version)
    assert refused_since(histogram) == (days_ago(5), days_ago(1))
    assert refused_since(view(locale="fr_FR").histogram) is None, "of this locale there are none"
    aggregate(version, days_ago(5), days_ago(5))
    assert refused_since(histogram) == (days_ago(5), days_ago(1)), "not a run that saw no newer ones"
    aggregate(version, days_ago(2), days_ago(2))
    assert refused_since(histogram) == (days_ago(2), days_ago(2))
    send_words(version, 400, day=days_ago(0), seed=1)
    aggregate(version)
    assert view().histogram.n == 850
    assert refused_since(histogram) is None, "a newer list is published"
    assert refused_since(view().histogram) is None


def test_a_run_of_other_days_is_not_waited_for(version: Version) -> None:
    aggregate(version, days_ago(4), days_ago(4))
    start_run(version, days_ago(3), days_ago(2), ring=False)
    assert view(**days(3, 2)).state == State.WAITING
    assert view(**days(3, 3)).state == State.NOT_SEARCHED
    assert view().histogram.n == 400


def test_ranks_and_n_do_not_change_with_what_is_asked_for(version: Version) -> None:
    aggregate(version)
    everything = view().document()
    for name in ("all", "undecided", "new", "accepted"):
        found = view(words=name)
        assert (found.total, found.histogram.n) == (4, 1200)
        assert all(entry in everything["entries"] for entry in found.document()["entries"])


def test_a_few_reports_of_today_do_not_keep_the_days_before_from_being_shown(version: Version) -> None:
    """Together with them the days could be published once, and the days before then never without them."""
    before = {days_ago(day) for day in (4, 3, 2)}
    send_words(version, 99)
    assert days_to_search(version) == before
    run = aggregate(version)
    assert (run.first_day, run.last_day) == (days_ago(4), days_ago(2))
    assert view().histogram.last_day == days_ago(2)
    # Enough in one locale is enough to look; each is published under the rule.
    send_words(version, 1)
    assert days_to_search(version) == {*before, days_ago(0)}


def test_today_alone_is_searched_however_few_there_are() -> None:
    version = define_words()
    send_words(version, 10)
    assert days_to_search(version) == {days_ago(0)}


def test_what_came_of_a_run_in_each_locale(version: Version) -> None:
    send_words(version, 99, locale="fr_FR", day=days_ago(2))
    run = aggregate(version)
    found = {outcome.locale: outcome.histogram for outcome in outcomes(run)}
    assert found == {"en_US": Histogram.objects.get(), "fr_FR": None}
