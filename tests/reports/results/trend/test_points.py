"""A day's window of an element, and nothing about what is below its threshold."""

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
    # Released together, and so of no single day.
    send(version, 60, day=days_ago(5), seed=2)
    send(version, 60, day=days_ago(4), seed=5)
    send(version, 400, day=days_ago(3), seed=3)
    send(version, 60, day=days_ago(2), seed=6)
    aggregate(version)
    send(version, 400, day=days_ago(1), seed=4)  # not counted
    view = see(version, elements=("apple", "fig"), first=days_ago(7), last=days_ago(1))
    assert [slot.last for slot in view.slots] == [days_ago(back) for back in range(7, 0, -1)]
    shown, nothing = "above-threshold", "not-yet"
    expected = [nothing, shown, nothing, nothing, shown, nothing, nothing]
    assert states(view, "apple") == expected
    assert states(view, "fig") == [state.replace("above", "below") for state in expected]
    # Windows that show nothing tell nothing else, either.
    assert {slot[2:] for slot in view.slots if slot.histogram is None} == {("not-yet", version, None, (), 0)}
    histogram = Histogram.objects.get(first_day=days_ago(6), last_day=days_ago(6))
    entry = histogram.entries.find("apple")
    numbers = points(view, "apple")[1].numbers
    assert numbers is not None
    assert numbers._asdict() == {name: getattr(entry, name) for name in numbers._fields}


def test_what_is_below_the_threshold_has_a_bound_and_nothing_else(db: None) -> None:
    version = define()
    newer, older = publish_day(version, 1, {"apple": 5000}), publish_day(version, 2, {"apple": 5000}, f2=1e8)
    view = see(version, elements=("fig",), first=days_ago(2))
    for point, histogram in zip(points(view, "fig"), (older, newer), strict=True):
        assert point.numbers is None
        bound = upper_bound_below_threshold(version.mechanism.debiased, 50.0, histogram.n, histogram.f2, 0.95)
        assert 50 < bound < histogram.n
        assert point.at_most == bound


def test_an_element_that_the_dictionary_did_not_have_is_not_below_the_threshold(db: None) -> None:
    version = define()
    before = version.current_dictionary()
    version = define(dictionary=["apple", "kiwi"])
    publish_day(version, 3, {"apple": 5000}, revision=before)
    publish_day(version, 1, {"apple": 4000})
    view = see(version, elements=("kiwi", "fig", "apple"), first=days_ago(3))
    assert states(view, "kiwi") == ["not-counted", "not-yet", "below-threshold"]
    # No dictionary has it any more.
    assert states(view, "fig") == ["not-counted", "not-yet", "not-counted"]
    assert [series.since for series in view.series] == [days_ago(1), None, days_ago(3)]
    # An element that stays in the dictionary keeps its past.
    numbers = [point.numbers and round(point.numbers.estimate, -1) for point in points(view, "apple")]
    assert numbers == [5000, None, 4000]


def test_a_week_counts_what_all_of_its_days_count(db: None) -> None:
    before = define().current_dictionary()
    version = define(dictionary=["apple", "kiwi"])
    sunday = next(back for back in range(8, 15) if days_ago(back).isoweekday() == 7)
    publish_day(version, sunday + 1, {"apple": 5000}, revision=before)
    publish_day(version, sunday, {"apple": 5000, "kiwi": 500})
    view = see(version, step=7, elements=("kiwi", "apple"))
    assert states(view, "kiwi") == ["not-counted"]
    assert states(view, "apple") == ["above-threshold"]
