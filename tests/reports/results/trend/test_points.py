"""What the window of a day says of an element, and nothing about what is below its threshold."""

import pytest

from aggregation.estimation import upper_bound_below_threshold
from reports.models import Histogram
from tests.reports.results.trend.seen import points, see, states
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_each_day_says_what_it_is(db: None) -> None:
    version = define()
    send(version, 400, day=days_ago(6), seed=1)
    # Below the minimum, but not together: else the days around them could not be shown.
    send(version, 60, day=days_ago(5), seed=2)
    send(version, 60, day=days_ago(4), seed=5)
    send(version, 400, day=days_ago(3), seed=3)
    aggregate(version)
    send(version, 400, day=days_ago(1), seed=4)  # not counted
    view = see(version, elements=("apple", "fig"), first=days_ago(7), last=days_ago(1))
    assert [slot.last for slot in view.slots] == [days_ago(back) for back in range(7, 0, -1)]
    shown = "above-threshold"
    expected = ["no-data", shown, "below-minimum", "below-minimum", shown, "no-data", "waiting"]
    assert states(view, "apple") == expected
    assert states(view, "fig") == [state.replace("above", "below") for state in expected]
    histogram = Histogram.objects.get(first_day=days_ago(6), last_day=days_ago(6))
    entry = histogram.entries.get(element="apple")
    numbers = points(view, "apple")[1].numbers
    assert numbers is not None
    assert numbers._asdict() == {name: getattr(entry, name) for name in numbers._fields}


def test_what_is_below_the_threshold_has_a_bound_and_nothing_else(db: None) -> None:
    version = define()
    known, unknown = publish_day(version, 1, {"apple": 5000}), publish_day(version, 2, {"apple": 5000}, f2=None)
    view = see(version, elements=("fig",), first=days_ago(2))
    for point, histogram, f2 in zip(points(view, "fig"), (unknown, known), (1e8, known.f2), strict=True):
        assert f2 is not None
        assert point.numbers is None
        bound = upper_bound_below_threshold(version.mechanism.debiased, 50.0, histogram.n, f2, 0.95)
        assert 50 < bound < histogram.n
        assert point.at_most == bound


def test_an_element_that_was_not_in_the_dictionary_is_not_below_the_threshold(db: None) -> None:
    version = define()
    before = version.current_dictionary()
    version = define(dictionary=["apple", "kiwi"])
    publish_day(version, 2, {"apple": 5000}, revision=before)
    publish_day(version, 1, {"apple": 5000})
    view = see(version, elements=("kiwi", "fig", "apple"), first=days_ago(2))
    assert states(view, "kiwi") == ["not-in-dictionary", "below-threshold"]
    assert states(view, "fig") == ["below-threshold", "not-in-dictionary"]
    assert [(slot.last, number) for slot, number in view.revisions] == [(days_ago(1), 2)]
