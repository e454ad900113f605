"""Trends of a use case with several versions: side by side, never added up, and nothing but what each has published."""

import csv
import io

import pytest

from reports.models import Period, Version
from reports.results.tables import csv_parts
from reports.results.trend.points import PointState
from reports.results.trend.trend_document import points_table, trend_document
from reports.results.trend.trend_view import TrendView
from reports.results.trend.trend_windows import SlotState
from tests.reports.changed_version import LOCAL_HASHING, changed
from tests.reports.found_words import define_search, find
from tests.reports.results.trend.seen import points, see
from tests.reports.small_fleet import days_ago, define
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def windows(view: TrendView) -> list[tuple[int, int, int | None]]:
    """Return for each window how many days ago it ended, the number of its version, and its reports."""
    return [
        ((days_ago(0) - slot.last).days, slot.version.number, slot.histogram and slot.histogram.n)
        for slot in view.slots
    ]


def test_each_version_shows_its_own_days_and_a_day_of_both_is_shown_twice() -> None:
    version = changed()
    view = see(version, elements=("apple", "cherry"))
    older, newer = 10_000, 20_000
    expected = [(6, 1, older), (5, 1, older), (4, 1, older), (3, 1, older), (3, 2, newer), (2, 2, newer), (1, 2, newer)]
    assert windows(view) == expected
    apples = [point.numbers and point.numbers.estimate for point in points(view, "apple")]
    assert apples == [5006, 5005, 5004, 5003, 9003, 9002, 9001]
    # Below the threshold of the newer version: each bound is by its own mechanism.
    assert [point.state for point in points(view, "cherry")] == [PointState.ABOVE] * 4 + [PointState.BELOW] * 3
    assert (
        points(view, "cherry")[-1].at_most
        == points(see(version, first=days_ago(1), elements=("cherry",)), "cherry")[0].at_most
    )


def test_what_a_version_shows_does_not_depend_on_the_one_that_is_looked_at() -> None:
    version = changed()
    window = {"first": days_ago(6), "last": days_ago(1), "elements": ("apple",)}
    newer, older = see(version, **window), see(version, version=1, **window)
    assert windows(newer) == windows(older)
    assert points(newer, "apple") == points(older, "apple")
    assert older.version is not None
    assert older.version.number == 1
    # Without days it ends with its own.
    assert windows(see(version, version=1))[-2:] == [(3, 1, 10_000), (3, 2, 20_000)]


def test_parts_of_a_series_lead_through_no_other_version() -> None:
    older, newer = see(changed(), elements=("apple",)).series[0].by_version
    shown = [[point.numbers is not None for point in part.points] for part in (older, newer)]
    assert shown == [[True] * 4 + [False] * 2, [False] * 3 + [True] * 3]
    assert {len(part.slots) for part in (older, newer)} == {6}  # a day of both has one place


def test_a_week_says_how_many_of_its_days_another_version_counted() -> None:
    before = define()
    sunday = days_ago(7 + days_ago(0).isoweekday())
    back = (days_ago(0) - sunday).days
    for day in (6, 5, 4):
        publish_day(before, back + day, {"apple": 5000})
    after = define(**LOCAL_HASHING)
    for day in (4, 3, 2):
        publish_day(after, back + day, {"apple": 5000})
    view = see(after, step=7, last=sunday, days=7)
    assert [(slot.version.number, slot.missing, slot.elsewhere) for slot in view.slots] == [(1, 4, 2), (2, 4, 2)]
    assert {(slot.first, slot.last) for slot in view.slots} == {(days_ago(back + 6), sunday)}


def test_a_locale_that_only_an_older_version_has_counted_is_shown() -> None:
    version = changed()
    publish_day(Version.objects.get(number=1), 4, {"banana": 5000}, locale="fr_FR")
    view = see(version, locale="fr_FR")
    assert windows(view) == [(4, 1, 10_000)]
    assert [series.element.text for series in view.series] == ["banana"]


def test_a_dictionary_without_an_element_does_not_count_it() -> None:
    changed()
    newest = define(
        **{**LOCAL_HASHING, "dictionary": ["apple", "kiwi"]} | {"parameters": {"epsilon": 2, "k": 64, "g": 8}}
    )
    publish_day(newest, 0, {"kiwi": 5000})
    view = see(newest, elements=("kiwi",))
    assert [str(point.state) for point in points(view, "kiwi")] == ["not-counted"] * 7 + ["above-threshold"]
    assert view.series[0].since == days_ago(0)


def test_nothing_is_shown_of_what_an_older_version_has_not_released() -> None:
    version = changed()
    Period.objects.filter(version__number=1, first_day=days_ago(5)).update(n=99)
    view = see(version, elements=("apple",), first=days_ago(6), last=days_ago(4))
    assert windows(view) == [(6, 1, 10_000), (5, 2, None), (4, 1, 10_000)]
    assert view.slots[1].state == SlotState.NOT_YET
    assert view.slots[1].histogram is None


@pytest.mark.parametrize("others", ["spelt otherwise", "words"])
def test_days_that_were_counted_in_another_way_are_named_and_have_no_numbers(others: str) -> None:
    if others == "words":
        before = define_search(slug="fruits", title="Fruits")
        find(before, ["yeet"], first=days_ago(3), last=days_ago(3))
    else:
        before = define(normalization="word", alphabet="abcdefghijklmnopqrstuvwxyz", dictionary=["apple"])
        publish_day(before, 3, {before.current_dictionary().elements()[0]: 5000})  # type: ignore[union-attr]
    after = define(**LOCAL_HASHING)
    publish_day(after, 1, {"apple": 5000})
    view = see(after, elements=("apple",), first=days_ago(4))
    states = [(str(slot.state), slot.version.number, slot.histogram is None) for slot in view.slots]
    assert states == [("not-yet", 2, True), ("other-version", 1, True), ("not-yet", 2, True), ("shown", 2, False)]
    alone = see(after, first=days_ago(3), last=days_ago(3))
    assert alone.is_empty
    assert alone.state == "other-version"


def test_words_of_two_versions_stand_side_by_side() -> None:
    before = define_search()
    find(before, ["yeet"], first=days_ago(14), last=days_ago(8))
    after = define_search(parameters={**before.parameters, "epsilon": 5, "seed": "1a" * 16})
    find(after, ["yeet"])
    assert windows(see(after)) == [(8, 1, 10_000), (1, 2, 10_000)]


def test_a_document_names_the_version_and_the_mechanism_of_each_number() -> None:
    found = trend_document(see(changed(), elements=("apple",), first=days_ago(7)))
    assert found is not None
    assert (found["version"], found["algorithm"]) == (2, "LocalHashing")
    (other,) = found["other_versions"]
    assert (other["version"], other["algorithm"], other["parameters"]["m"]) == (1, "CountMeanSketch", 64)
    # Where nothing is shown, it is the one that is looked at.
    assert [point["version"] for point in found["points"]] == [2, 1, 1, 1, 1, 2, 2, 2]
    rows = list(csv.DictReader(io.StringIO("".join(csv_parts(points_table(found))))))
    mechanisms = [(row["version"], row["algorithm"], row["epsilon"], row["m"], row["g"]) for row in rows]
    older, newer = ("1", "CountMeanSketch", "8", "64", ""), ("2", "LocalHashing", "4", "", "56")
    assert mechanisms == [newer, *[older] * 4, *[newer] * 3]
