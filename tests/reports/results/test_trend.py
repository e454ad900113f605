"""Elements over days: what each window says of them, and nothing about what is below its threshold."""

import csv
import datetime
import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.utils.datastructures import MultiValueDict
from pytest_django import DjangoAssertNumQueries

from aggregation.accuracy import upper_bound_below_threshold
from reports.models import Annotation, Histogram, UseCase, Version
from reports.results import NotInVersion, QueryError, csv_lines
from reports.results.trend.counted import MOST_PUBLISHED
from reports.results.trend.document import POINT_FIELDS, points_table, trend_document
from reports.results.trend.elements import suggested
from reports.results.trend.points import Point
from reports.results.trend.query import MOST_WINDOWS, TrendQuery
from reports.results.trend.search import search
from reports.results.trend.view import TrendView, trend_view
from reports.words import Decided, decide
from tests.reports.found_words import define_search, find
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def asked(**parameters: Any) -> TrendQuery:
    lists = {name: [value] if isinstance(value, str) else value for name, value in parameters.items()}
    return TrendQuery.from_parameters(MultiValueDict(lists))


def see(shown: Version, **parameters: Any) -> TrendView:
    return trend_view(UseCase.objects.get(pk=shown.use_case_id), TrendQuery(**parameters))


def states(view: TrendView, element: str) -> list[str]:
    return [str(point.state) for point in points(view, element)]


def points(view: TrendView, element: str) -> tuple[Point, ...]:
    return next(series.points for series in view.series if series.element.text == element)


def document(view: TrendView) -> dict[str, Any]:
    found = trend_document(view)
    assert found is not None
    written: dict[str, Any] = json.loads(json.dumps(found))
    return written


# --- States ---


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
        bound = upper_bound_below_threshold(version.mechanism, 50.0, histogram.n, f2, 0.95)
        assert 50 < bound < histogram.n
        assert point.at_most == bound


def test_nothing_below_the_threshold_leaves_in_a_document(db: None) -> None:
    version = define()
    publish_day(version, 1, {"apple": 5000})
    (point,) = document(see(version, elements=("fig",), first=days_ago(1)))["points"]
    empty = {name for name, value in point.items() if value is None}
    numbers = {"estimate", "standard_error", "lower", "upper", "adjusted_lower", "adjusted_upper", "rank"}
    assert empty == numbers | {"share", "share_lower", "share_upper"}
    assert point["share_at_most"] == point["at_most"] / point["n"]


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


def test_the_largest_of_the_newest_window_if_nobody_chose(db: None) -> None:
    version = define()
    publish_day(version, 1, {"apple": 10, "banana": 9, "cherry": 8, "date": 7, "fig": 6})
    publish_day(version, 1, {"apple": 90, "cherry": 99}, first=days_ago(3))
    assert [series.element.text for series in see(version).series] == ["cherry", "apple"]
    Histogram.objects.filter(first_day=days_ago(3)).delete()
    assert [series.element.text for series in see(version).series] == ["apple", "banana", "cherry", "date"]


def test_four_weeks_up_to_the_newest_day(db: None) -> None:
    version = define()
    for back in (3, 6, 30, 31):
        publish_day(version, back, {"apple": 10})
    view = see(version)
    assert (view.first, view.last) == (days_ago(30), days_ago(3))
    assert [slot.last for slot in view.slots if slot.state == "shown"] == [days_ago(30), days_ago(6), days_ago(3)]
    # Not more than there is, but what was asked for in full.
    view = see(version, days=5)
    assert (view.first, view.last, len(view.slots)) == (days_ago(6), days_ago(3), 4)
    assert len(see(version, first=days_ago(7)).slots) == 5
    view = see(version, last=days_ago(10), days=2)
    assert (view.first, view.last) == (days_ago(11), days_ago(10))
    assert view.is_empty
    assert trend_document(view) is None


def test_without_anything_there_is_no_view_of_days(db: None) -> None:
    view = see(define())
    assert (view.slots, view.series, view.is_empty) == ((), (), True)


def test_replaced_windows_and_groups_are_not_seen(db: None) -> None:
    version = define()
    publish_day(version, 1, {"apple": 10})
    Histogram.objects.update(replaced=True)
    publish_day(version, 1, {"apple": 20})
    Histogram.objects.filter(replaced=False).update(grouping="category")
    publish_day(version, 1, {"apple": 30})
    (point,) = points(see(version, first=days_ago(1)), "apple")
    assert point.numbers is not None
    assert point.numbers.estimate == 30


# --- Publishing what may be ---


def weeks_of_days(version: Version, weeks: int) -> datetime.date:
    """So many weeks of days with enough reports, up to a Sunday; returns its Monday."""
    sunday = days_ago(1)
    while sunday.isoweekday() != 7:
        sunday -= datetime.timedelta(days=1)
    for week in range(weeks):
        for seed, back in enumerate((6, 3, 0)):
            send(version, 150, day=sunday - datetime.timedelta(days=7 * week + back), seed=10 * week + seed)
    aggregate(version)
    return sunday - datetime.timedelta(days=6)


def test_weeks_are_those_of_the_calendar_and_published_when_somebody_looks(db: None) -> None:
    version = define()
    monday = weeks_of_days(version, 2)
    view = see(version, step=7, elements=("apple",))
    assert [slot.first for slot in view.slots][-2:] == [monday - datetime.timedelta(days=7), monday]
    assert states(view, "apple")[-2:] == ["above-threshold"] * 2
    assert [slot.histogram.n for slot in view.slots if slot.histogram] == [450, 450]
    assert Histogram.objects.filter(first_day=monday, last_day=monday + datetime.timedelta(days=6)).count() == 1
    # The same, whichever days are asked for.
    there = Histogram.objects.count()
    again = see(version, step=7, first=monday + datetime.timedelta(days=2), last=monday + datetime.timedelta(days=9))
    assert again.slots[0] == view.slots[-1]
    assert Histogram.objects.count() == there


def test_a_week_with_few_days_is_published_under_their_bounds(db: None) -> None:
    version = define()
    monday = weeks_of_days(version, 1)
    other = monday - datetime.timedelta(days=7)
    send(version, 80, day=other + datetime.timedelta(days=1), seed=8)
    send(version, 80, day=other + datetime.timedelta(days=3), seed=9)
    aggregate(version)
    week = see(version, step=7).slots[-2]
    assert week.histogram is not None
    assert (week.first, week.histogram.first_day) == (other, other + datetime.timedelta(days=1))
    assert (week.histogram.last_day, week.histogram.n) == (other + datetime.timedelta(days=3), 160)


def test_one_view_publishes_a_few_and_says_what_is_missing(db: None) -> None:
    version = define()
    weeks_of_days(version, MOST_PUBLISHED + 2)
    # Runs of earlier releases published no weeks.
    Histogram.objects.exclude(first_day=F("last_day")).delete()
    view = see(version, step=7, elements=("apple",))
    found = states(view, "apple")[-MOST_PUBLISHED - 2 :]
    assert found == ["not-published"] * 2 + ["above-threshold"] * MOST_PUBLISHED
    assert states(see(version, step=7, elements=("apple",)), "apple")[-6:] == ["above-threshold"] * 6


def test_what_is_refused_does_not_keep_others_from_being_published(db: None) -> None:
    """Windows that would single out few are tried once, and those before them come next."""
    version = define()
    monday = weeks_of_days(version, MOST_PUBLISHED + 1)
    for week in range(MOST_PUBLISHED):
        # A window that has all of the week but a day of few reports, which the week would then single out.
        start = monday - datetime.timedelta(days=7 * week)
        send(version, 10, day=start + datetime.timedelta(days=5), seed=week)
    aggregate(version)
    Histogram.objects.all().delete()
    for week in range(MOST_PUBLISHED):
        start = monday - datetime.timedelta(days=7 * week)
        sealings = list(
            version.read_outs.filter(day__range=(start, start + datetime.timedelta(days=6)))
            .exclude(day=start + datetime.timedelta(days=5))
            .values_list("sealing_id", flat=True)
        )
        day = publish_day(version, 300 + week, {"apple": 10})
        Histogram.objects.filter(pk=day.pk).update(sealings=sealings)
    last = monday + datetime.timedelta(days=6)
    query: dict[str, Any] = {"step": 7, "elements": ("apple",), "last": last, "days": 7 * (MOST_PUBLISHED + 1)}
    refused = ["below-minimum"] * MOST_PUBLISHED
    assert states(see(version, **query), "apple") == ["not-published", *refused]
    assert states(see(version, **query), "apple") == ["above-threshold", *refused]


def test_a_day_that_may_be_shown_by_now_is_published(db: None) -> None:
    version = define(minimum_reports=500)
    send(version, 400, day=days_ago(1))
    aggregate(version)
    UseCase.objects.update(minimum_reports=300)
    publish_day(version, 2, {"apple": 10})
    assert states(see(version, first=days_ago(1), elements=("apple",)), "apple") == ["above-threshold"]


# --- Words ---


def test_lists_of_words_stand_at_their_last_day(db: None) -> None:
    version = define_search()
    find(version, ["yeet", "lol"], first=days_ago(8), last=days_ago(2))
    find(version, ["lol"], first=days_ago(7), last=days_ago(1))
    find(version, ["yeet"], first=days_ago(1), last=days_ago(1))
    find(version, ["yeet"], first=days_ago(30), last=days_ago(1))
    view = see(version, elements=("yeet", "lol"))
    assert [(slot.first, slot.last) for slot in view.slots] == [
        (days_ago(8), days_ago(2)), (days_ago(7), days_ago(1)),
    ]  # fmt: skip
    assert states(view, "yeet") == ["above-threshold", "not-found"]
    assert states(view, "lol") == ["above-threshold"] * 2
    daily = see(version, elements=("yeet",), step=1)
    assert [(slot.first, slot.last) for slot in daily.slots] == [(days_ago(1), days_ago(1))]
    assert points(view, "yeet")[1].at_most is None


def test_of_words_nobody_knows_any_but_those_published(db: None) -> None:
    version = define_search()
    find(version, ["yeet"])
    with pytest.raises(QueryError, match="Nothing is called “lol” here"):
        see(version, elements=("lol",))
    Histogram.objects.update(replaced=True)
    find(version, ["abc"])
    with pytest.raises(QueryError, match="Nothing is called “yeet” here"):
        see(version, elements=("yeet",))


def test_rejected_words_are_only_for_those_who_decide(alice: User) -> None:
    version = define_search()
    find(version, ["yeet", "yolo", "lol"])
    version.use_case.refresh_from_db()
    assert [element.text for element in suggested(version, "en_US")] == ["yeet", "yolo", "lol"]
    decide(alice, version.use_case, "en_US", [Decided("yeet", "rejected")])
    version.use_case.refresh_from_db()
    assert [element.text for element in suggested(version, "en_US")] == ["yolo", "lol"]
    assert [element.text for element in search(version, "en_US", "y")] == ["yolo"]
    with pytest.raises(QueryError):
        search(version, "en_US", "yeet")

    def shown(*elements: str, **who: bool) -> list[str]:
        view = trend_view(UseCase.objects.get(), TrendQuery(elements=elements), **who)
        return [series.element.text for series in view.series]

    assert shown() == ["yolo", "lol"]
    assert shown("yeet", "lol") == ["lol"]
    assert shown("yeet", "lol", with_rejected=True) == ["yeet", "lol"]
    with pytest.raises(QueryError, match="Nothing is called “yeet” here"):
        shown("yeet")
    # The newest decision holds.
    decide(alice, version.use_case, "en_US", [Decided("yeet", "undecided")])
    assert shown("yeet") == ["yeet"]


# --- Questions ---


def test_a_query_is_written_as_it_is_read() -> None:
    query = asked(**{"element": ["b", "a", "b", ""], "from": "2026-01-02", "days": "9", "step": "7", "locale": "fr_FR"})
    assert query.elements == ("b", "a")
    assert query.days is None, "the first day says it"
    assert query.encoded() == "locale=fr_FR&from=2026-01-02&step=7&element=b&element=a"
    assert asked(element=["=1+1 &x"]).encoded() == "element=%3D1%2B1+%26x"


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"element": list("abcdefg")}, "element"),
        ({"element": "a\0"}, "element"),
        ({"step": "2"}, "step"),
        ({"step": "x"}, "step"),
        ({"days": "0"}, "days"),
        ({"from": "2026-02-30"}, "from"),
        ({"from": "2026-02-02", "to": "2026-02-01"}, "to"),
    ],
)
def test_what_cannot_be_asked(parameters: dict[str, Any], field: str) -> None:
    with pytest.raises(QueryError) as refused:
        asked(**parameters)
    assert refused.value.field == field


def test_too_many_windows_are_refused(db: None) -> None:
    version = define()
    publish_day(version, 1, {"apple": 10})
    publish_day(version, MOST_WINDOWS, {"apple": 10})
    assert len(see(version, days=MOST_WINDOWS).slots) == MOST_WINDOWS
    with pytest.raises(QueryError) as refused:
        see(version, days=MOST_WINDOWS + 1)
    assert refused.value.field == "days"
    with pytest.raises(QueryError) as refused:
        see(version, first=datetime.date(2001, 1, 1))
    assert refused.value.field == "from"


def test_days_at_the_ends_of_the_calendar_are_refused() -> None:
    for day in (datetime.date.min, datetime.date.max):
        with pytest.raises(QueryError, match="No reports are of such a day"):
            TrendQuery(first=day)
        with pytest.raises(QueryError, match="No reports are of such a day"):
            TrendQuery(last=day)


def test_what_another_version_has_is_told_from_what_none_has(db: None) -> None:
    define(dictionary=["apple", "kiwi"])
    version = define(parameters={"epsilon": 4, "k": 1024, "m": 64, "seed": "0e" * 16}, dictionary=["apple"])
    publish_day(version, 1, {"apple": 10})
    with pytest.raises(NotInVersion):
        see(version, elements=("kiwi",), version=version.number)
    with pytest.raises(QueryError) as refused:
        see(version, elements=("durian",))
    assert not isinstance(refused.value, NotInVersion)
    with pytest.raises(QueryError):
        see(version, locale="xx")


def test_elements_are_found_by_what_people_type(db: None) -> None:
    version = define(normalization="emoji", dictionary=["😂", "❤️", "💔", "👍"])
    version.use_case = UseCase.objects.get()
    assert [each.text for each in search(version, "en_US", "❤️")] == ["❤"]
    assert [each.text for each in search(version, "en_US", "red heart")] == ["❤"]
    assert {each.text for each in search(version, "en_US", "heart")} == {"❤", "💔"}
    assert [each.text for each in search(version, "en_US", "cœur brisé")] == ["💔"]
    with pytest.raises(QueryError):
        search(version, "en_US", "kiwi")
    fruits = define(slug="more", dictionary=["apple", "pineapple", "applesauce"])
    assert [each.text for each in search(fruits, "en_US", "apple")] == ["apple"]
    assert [each.text for each in search(fruits, "en_US", "APPL")] == ["apple", "applesauce", "pineapple"]
    words = define_search()
    find(words, ["yeet", "yolo"])
    assert [each.text for each in search(words, "en_US", "yeet")] == ["yeet"]
    assert {each.text for each in search(words, "en_US", "y")} == {"yeet", "yolo"}


# --- Documents ---


def test_the_file_has_a_line_for_each_window_and_element(db: None) -> None:
    version = define()
    publish_day(version, 2, {"apple": 5000, "fig": 100})
    publish_day(version, 1, {"apple": 4000})
    Annotation.objects.create(use_case=version.use_case, day=days_ago(1), text="release")
    Annotation.objects.create(use_case=None, day=days_ago(2), text="holiday")
    Annotation.objects.create(use_case=define(slug="other").use_case, day=days_ago(2), text="of another")
    found = document(see(version, elements=("fig", "apple"), first=days_ago(3)))
    assert [(each["last_day"], each["element"], each["state"], each["estimate"]) for each in found["points"]] == [
        (days_ago(3).isoformat(), "fig", "no-data", None),
        (days_ago(3).isoformat(), "apple", "no-data", None),
        (days_ago(2).isoformat(), "fig", "above-threshold", 100),
        (days_ago(2).isoformat(), "apple", "above-threshold", 5000),
        (days_ago(1).isoformat(), "fig", "below-threshold", None),
        (days_ago(1).isoformat(), "apple", "above-threshold", 4000),
    ]
    assert [(each["text"], each["of_every_use_case"]) for each in found["annotations"]] == [
        ("holiday", True), ("release", False),
    ]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO("".join(csv_lines(points_table(found))))))
    for row, point in zip(rows, found["points"], strict=True):
        assert {name: row[name] for name in POINT_FIELDS} == {
            name: "" if value is None else str(value) for name, value in point.items()
        }
        assert (row["locale"], row["use_case"], row["epsilon"]) == ("en_US", "fruits", "8")


def test_no_element_passes_for_a_formula(db: None) -> None:
    version = define(dictionary=["=1+1", "apple"])
    publish_day(version, 1, {"=1+1": 100})
    (row,) = csv.DictReader(io.StringIO("".join(csv_lines(points_table(document(see(version, first=days_ago(1))))))))
    assert (row["element"], row["display"]) == ("'=1+1", "'=1+1")


# --- Cost ---


def test_the_number_of_queries_does_not_depend_on_days(
    db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    version = define()
    use_case = UseCase.objects.get()
    for back in range(1, 20):
        publish_day(version, back, {"apple": 10, "fig": 10})
    see(version)
    for elements, days in ((("apple",), 2), (("apple", "fig", "date"), 19)):
        with django_assert_num_queries(10):
            trend_view(use_case, TrendQuery(elements=elements, days=days))
    # Two more for what is known of days of which nothing is published.
    for elements, days in ((("apple",), 20), (("apple", "fig", "date"), 300)):
        with django_assert_num_queries(12):
            trend_view(use_case, TrendQuery(elements=elements, days=days))
