"""Windows that are compared: those asked for, or else the newest of both sides."""

import pytest

from reports.models import Version
from reports.results import State
from tests.reports.comparing import EATEN, comparison, send_shares
from tests.reports.results.comparison.seen import days_of
from tests.reports.small_fleet import aggregate, days_ago, define
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@once
def four_days() -> Version:
    version = define()
    for day in (4, 3, 2, 1):
        for locale in EATEN:
            send_shares(version, 200, locale=locale, day=days_ago(day))
    return aggregate(version).version


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


def test_of_two_locales_the_newest_four_weeks_are_taken() -> None:
    version = define()
    for day in (40, 29, 9, 2):
        for locale in EATEN:
            send_shares(version, 300, locale=locale, day=days_ago(day))
    aggregate(version, days_ago(40))
    assert days_of(comparison()) == [(29, 2), (29, 2)]


def test_windows_of_two_locales_begin_and_end_alike_if_they_can() -> None:
    version = define()
    for day in range(1, 8):
        send_shares(version, 100, day=days_ago(day), seed=day)
        send_shares(version, 40, locale="fr_FR", day=days_ago(day), seed=day)  # periods of three days, and one waits
    aggregate(version)
    assert days_of(comparison()) == [(7, 2), (7, 2)]


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


def test_of_one_locale_the_newest_period_is_compared_with_the_one_before_where_days_are_too_few() -> None:
    version = define(locales=["en_US"])
    for day in (1, 4, 8, 11, 15, 18):
        send_shares(version, 60, day=days_ago(day), seed=day)
    aggregate(version)
    first, second = comparison().sides
    assert days_of(comparison()) == [(4, 1), (11, 8)]
    assert first.histogram.n == second.histogram.n == 120
    # The window asked for is compared with the period before as well, if none lies in as many days before.
    assert days_of(comparison(from_=str(days_ago(4)))) == [(4, 1), (11, 8)]


def test_the_only_period_is_compared_with_nothing() -> None:
    version = define(locales=["en_US"])
    send_shares(version, 300, day=days_ago(1))
    aggregate(version)
    assert [side.state for side in comparison().sides] == [State.SHOWN, State.NOT_YET]


def test_the_window_of_one_side_is_that_of_the_other_locale_or_the_time_before() -> None:
    four_days()
    window = {"from_": str(days_ago(2)), "to": str(days_ago(1))}
    other = {f"other-{name.rstrip('_')}": value for name, value in window.items()}
    assert days_of(comparison(**window)) == days_of(comparison(**other)) == [(2, 1), (2, 1)]
    assert days_of(comparison(**window, other_locale="en_US")) == [(2, 1), (4, 3)]
    assert days_of(comparison(**other, other_locale="en_US")) == [(4, 3), (2, 1)]
    assert days_of(comparison(days="2", other_locale="en_US")) == [(2, 1), (4, 3)]
    assert days_of(comparison(**window, other_from=str(days_ago(4)))) == [(2, 1), (4, 1)]


def test_of_one_locale_a_length_on_both_sides_is_of_days_one_after_the_other() -> None:
    four_days()
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
