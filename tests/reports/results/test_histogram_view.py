"""From a query to what there is to see, and why there is not."""

from typing import Any

import pytest
from django.db import transaction
from django.utils.translation import override

from reports.models import Histogram, Run, UseCase, Version
from reports.publication import lock_publications
from reports.results import HistogramQuery, QueryError, State, histogram_view
from reports.results.histogram_rows import matches
from reports.results.names import colourful, element_name, is_called
from reports.runs import start_run
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.threads import together
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def view(**parameters: str) -> Any:
    query = HistogramQuery.from_parameters({name.rstrip("_"): value for name, value in parameters.items()})
    return histogram_view(UseCase.objects.get(), query)


def test_there_is_one_state_until_there_is_a_period_whatever_has_arrived() -> None:
    version = define()

    def nothing(run: Run | None = None, **parameters: str) -> bool:
        found = view(**parameters)
        return (found.state, found.histogram, found.rows, found.run) == (State.NOT_YET, None, (), run)

    assert nothing()
    send(version, 99)
    assert nothing()
    run = start_run(version, ring=False)
    assert nothing(run)
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.")
    assert nothing(run)
    Run.objects.update(state=Run.State.WAITING)
    aggregate(version)
    assert nothing()
    send(version, 1)
    assert nothing()
    aggregate(version)
    assert (view().state, view().run, view().histogram.n) == (State.SHOWN, None, 100)
    assert nothing(locale="fr_FR")
    assert nothing(to=str(days_ago(1)))


def test_the_latest_run_is_known_while_it_is_not_finished() -> None:
    version = define()
    send(version, 150)
    run = aggregate(version)
    Run.objects.update(state=Run.State.FAILED)
    assert (view().state, view().run) == (State.SHOWN, run)


def test_all_below_the_threshold_is_a_state_of_its_own() -> None:
    version = define(dictionary=["quince"])
    send(version, 1000)
    aggregate(version)
    assert (view().state, view().histogram.n) == (State.NONE_ABOVE, 1000)


@once
def three_days() -> Version:
    """Days of 150 reports each."""
    version = define()
    for day in (3, 2, 1):
        send(version, 150, day=days_ago(day))
    return aggregate(version).version


def test_the_default_window_is_all_days_and_others_are_made_when_asked_for() -> None:
    three_days()
    assert view().histogram.n == 450
    assert view(from_=str(days_ago(2))).histogram.n == 300
    assert view(to=str(days_ago(2))).histogram.n == 300
    assert view(from_=str(days_ago(2)), to=str(days_ago(2))).histogram.n == 150
    # A wider request for these days is the same window.
    assert view(from_=str(days_ago(30))).histogram == view().histogram


def shown(**parameters: str) -> tuple[Any, Any]:
    """Return how long ago the window that is shown begins and ends."""
    histogram = view(**parameters).histogram
    return tuple((days_ago(0) - day).days for day in (histogram.first_day, histogram.last_day))


def test_windows_by_their_length() -> None:
    version = define()
    for day in (9, 6, 3, 2, 1):
        send(version, 150, day=days_ago(day))
    aggregate(version)
    assert shown(days="1") == (1, 1)
    assert shown(days="2") == (2, 1)
    # Days without reports are days, too.
    assert shown(days="6") == (6, 1)
    assert shown(days="5") == (3, 1)
    assert shown(days="3", to=str(days_ago(2))) == (3, 2)
    assert shown(days="28") == shown() == (9, 1)
    before = Histogram.objects.count()
    assert shown(days="5", to=str(days_ago(1))) == (3, 1)
    assert shown(days="28") == (9, 1)
    assert Histogram.objects.count() == before, "the same days are the same window"
    assert view(days="2", to=str(days_ago(30))).state == State.NOT_YET


def test_a_length_ends_on_the_newest_day_that_is_shown() -> None:
    version = three_days()
    send(version, 10, day=days_ago(0))
    aggregate(version)
    assert (shown(), view().histogram.n) == ((3, 1), 450)
    assert shown(days="1") == (1, 1)
    assert shown(days="2") == (2, 1)
    # The newest period that ends there, if none lies in so few days.
    assert shown(days="1", to=str(days_ago(0))) == (1, 1)
    assert view(days="1", to=str(days_ago(0))).is_other_window
    assert not view(days="1").is_other_window


def left_out(**parameters: str) -> list[tuple[int, int]]:
    """Return how long ago the days that are left out begin and end."""
    return [((days_ago(0) - first).days, (days_ago(0) - last).days) for first, last in view(**parameters).left_out]


def test_days_that_are_in_no_period_of_the_window_are_left_out() -> None:
    version = define()
    for day in (6, 4, 2):
        send(version, 150, day=days_ago(day))
    aggregate(version)
    send(version, 40, day=days_ago(3))
    aggregate(version)
    ends = {"from_": str(days_ago(4)), "to": str(days_ago(1))}
    assert (view(**ends).histogram.n, left_out(**ends)) == (300, [(3, 3), (1, 1)])
    assert left_out() == [], "nobody asked for days"
    assert left_out(days="3") == [(3, 3)]
    assert left_out(to=str(days_ago(2))) == [(5, 5), (3, 3)]
    assert left_out(from_=str(days_ago(9))) == [(9, 7), (5, 5), (3, 3)]


def test_days_that_are_too_few_by_themselves_are_shown_together() -> None:
    version = define()
    for day in range(1, 14):
        send(version, 25, day=days_ago(day))
    aggregate(version)
    assert shown() == (13, 2), "the newest day waits"
    assert (shown(days="7"), left_out(days="7")) == ((5, 2), [(8, 6)])
    assert not view(days="7").is_other_window
    assert shown(days="2") == (5, 2)
    assert view(days="2").is_other_window
    assert shown(days="7", to=str(days_ago(7))) == (13, 10)
    assert view(days="7", to=str(days_ago(12))).state == State.NOT_YET
    assert view(from_=str(days_ago(4)), to=str(days_ago(2))).state == State.NOT_YET


def test_versions_are_never_mixed() -> None:
    send(define(), 150)
    aggregate(UseCase.objects.get().versions.get(number=1))
    send(define(parameters={"epsilon": 8, "k": 1024, "m": 128}), 130)
    aggregate(UseCase.objects.get().versions.get(number=2))
    assert (view().version.number, view().histogram.n) == (2, 130)
    assert (view(version="1").version.number, view(version="1").histogram.n) == (1, 150)


@once
def large_day() -> Version:
    version = define()
    send(version, 3000)
    return aggregate(version).version


def test_top_and_search_choose_rows() -> None:
    large_day()
    assert [row.entry.element for row in view().rows] == ["apple", "banana", "cherry"]
    assert [row.entry.element for row in view(top="2").rows] == ["apple", "banana"]
    assert [row.entry.element for row in view(q="RR").rows] == ["cherry"]
    assert view(q="nothing").rows == ()
    assert sum(row.share for row in view().rows) == pytest.approx(1, abs=0.05)


def test_a_word_is_found_by_its_letters_not_by_its_padding() -> None:
    version = Version(normalization="word")
    for search, found in (("malus", True), ("APPLE", True), ("_", False), ("apple_", False)):
        assert matches(version, "apple_____", "Malus", search) is found, search


def test_a_view_is_written_as_it_is_shown() -> None:
    define()
    assert view().document() is None
    large_day()
    document = view(sort="-rank", top="2").document()
    assert document["n"] == 3000
    assert [entry["element"] for entry in document["entries"]] == ["banana", "apple"]


def test_emoji_are_found_by_name_in_the_readers_language() -> None:
    version = Version(normalization="emoji")
    assert element_name(version, "😂") == "face with tears of joy"
    with override("fr"):
        assert element_name(version, "😂") == "visage riant aux larmes"
    assert is_called(version, "😂", "Larmes")
    assert is_called(version, "😂", "tears FACE")
    assert is_called(version, "❤️", "coeur")
    assert is_called(version, "❤️", "corazon")
    assert not is_called(version, "😂", "heart")
    assert colourful("😂") == "😂\ufe0f"
    assert colourful("❤\ufe0f") == "❤\ufe0f"
    assert colourful("word") == "word"


REFUSED = (
    ({"from": "2026-13-01"}, "from"),
    ({"to": "20260301"}, "to"),
    ({"from": "2026-03-02", "to": "2026-03-01"}, "to"),
    ({"top": "0"}, "top"),
    ({"top": "+5"}, "top"),
    ({"top": "٣"}, "top"),
    ({"version": "1_0"}, "version"),
    ({"version": "7"}, "version"),
    ({"version": "2"}, "version"),
    ({"locale": "de_DE"}, "locale"),
    ({"group": "size"}, "group"),
    ({"group": "category"}, "group"),
    ({"group": "skin-tones"}, "group"),
    ({"words": "new"}, "words"),
    ({"words": "good"}, "words"),
    ({"sort": "first-seen"}, "sort"),
    ({"sort": "seen"}, "sort"),
    ({"values": "consistent"}, "values"),
)


def test_what_cannot_be_understood_is_said() -> None:
    version = define()
    # A draft is known only to those who define the use case.
    draft = {"number": 2, "state": Version.State.DRAFT, "algorithm": version.algorithm, "parameters": {}}
    Version.objects.create(use_case=version.use_case, normalization="raw", locales=["en_US"], **draft)
    for parameters, field in REFUSED:
        with pytest.raises(QueryError) as caught:
            view(**parameters)
        assert caught.value.field == field, parameters


def test_a_query_is_its_address() -> None:
    parameters = {"locale": "fr_FR", "from": "2026-03-01", "to": "2026-03-07", "version": "2", "top": "50", "q": "joy",
                  "sort": "-first-seen", "group": "category", "category": "faces", "words": "new",
                  "values": "consistent", "unit": "count", "scale": "log"}  # fmt: skip
    query = HistogramQuery.from_parameters(parameters)
    assert query.parameters() == parameters
    del parameters["from"]
    query = HistogramQuery.from_parameters(parameters | {"days": "7"})
    assert query.parameters() == parameters | {"days": "7"}
    assert HistogramQuery.from_parameters({"locale": "", "q": " ", "top": ""}).parameters() == {}


def test_a_smaller_dictionary_takes_over_what_was_counted_with_the_larger() -> None:
    three_days()
    before = {row.entry.element: row.entry.estimate for row in view().rows}
    version = define(dictionary=["banana", "apple"])
    for _counted in range(2):
        found = view()
        assert (found.histogram.n, found.histogram.revision.number, found.not_counted) == (450, 2, ())
        assert {row.entry.element: row.entry.estimate for row in found.rows} == {
            element: before[element] for element in ("apple", "banana")
        }
        aggregate(version, days_ago(2), days_ago(1))


def test_a_window_is_made_without_waiting_for_whoever_cuts_periods(transactional_db: None) -> None:
    version = three_days()
    with transaction.atomic():
        lock_publications(version)
        (found,) = together(1, lambda: view(from_=str(days_ago(2)), to=str(days_ago(1))).histogram)
    assert found.n == 300
