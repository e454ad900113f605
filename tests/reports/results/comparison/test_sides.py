"""The two histograms that are compared: why one is missing, and counting them by the same rules."""

import pytest

from reports.models import DictionaryRevision, Histogram, Run, Version
from reports.results import State
from reports.runs import start_run
from tests.reports.comparing import EATEN, comparison, send_shares
from tests.reports.small_fleet import aggregate, days_ago, define, definition

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


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
