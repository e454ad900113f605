"""The two sides of a comparison: one state for all that shows nothing, and what windows leave out."""

import pytest

from reports.models import Run, Version
from reports.results import State
from reports.runs import start_run
from tests.reports.comparing import comparison, send_shares
from tests.reports.small_fleet import aggregate, days_ago, define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_a_side_without_a_period_has_one_state_whatever_has_arrived() -> None:
    version = define()

    def states() -> list[State]:
        view = comparison()
        assert (view.state, view.document(), view.compared) == (State.NOT_YET, None, None)
        return [side.state for side in view.sides]

    assert states() == [State.NOT_YET] * 2
    send_shares(version, 300, day=days_ago(1))
    run = start_run(version, ring=False)
    assert states() == [State.NOT_YET] * 2
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.")
    assert states() == [State.NOT_YET] * 2
    Run.objects.filter(pk=run.pk).update(state=Run.State.WAITING)
    send_shares(version, 99, locale="fr_FR", day=days_ago(1))
    aggregate(version)
    assert states() == [State.SHOWN, State.NOT_YET]


def test_days_asked_for_that_are_in_no_period_are_left_out() -> None:
    version = define(locales=["en_US"])
    for day, reports in ((3, 300), (2, 20), (1, 300)):
        send_shares(version, reports, day=days_ago(day))
        aggregate(version)
    # The 20 are released with the day after.
    first, second = comparison(from_=str(days_ago(2)), other_from=str(days_ago(5)), other_to=str(days_ago(2))).sides
    assert (first.histogram.n, first.left_out) == (320, ())
    assert (second.histogram.n, second.days) == (300, (days_ago(3), days_ago(3)))
    assert second.left_out == ((days_ago(5), days_ago(4)), (days_ago(2), days_ago(2)))
    (single,) = {side.state for side in comparison(from_=str(days_ago(1)), to=str(days_ago(1))).sides}
    assert single == State.NOT_YET


def test_a_changed_rate_of_false_entries_holds_for_both_sides(both: Version) -> None:
    comparison()
    both.use_case.false_positive_rate = 0.5
    both.use_case.save()
    view = comparison()
    assert view.state == State.SHOWN
    assert {histogram.alpha for histogram in view.histograms or ()} == {0.5}
