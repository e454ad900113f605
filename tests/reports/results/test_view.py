"""From a query to what there is to see, and why there is not."""

from typing import Any

import pytest
from django.db import transaction

from reports.ingest import seal_days
from reports.models import Histogram, Run, UseCase, Version
from reports.results import HistogramQuery, QueryError, State, histogram_view, lock_publications
from reports.results.rows import matches
from reports.runs import start_run
from tests.reports.retention.helpers import wait_from_device
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.threads import together

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def view(**parameters: str) -> Any:
    query = HistogramQuery.from_parameters({name.rstrip("_"): value for name, value in parameters.items()})
    return histogram_view(UseCase.objects.get(), query)


def test_states_follow_the_life_of_a_use_case() -> None:
    version = define()
    assert view().state == State.NO_DATA
    send(version, 150)
    assert view().state == State.WAITING
    run = start_run(version, ring=False)
    assert (view().state, view().run) == (State.WAITING, run)
    aggregate(version)
    assert (view().state, view().run) == (State.SHOWN, None)
    assert view(locale="fr_FR").state == State.NO_DATA


def test_a_failed_run_is_said_until_there_is_something_to_show() -> None:
    version = define()
    send(version, 150)
    run = start_run(version, ring=False)
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.")
    assert (view().state, view().run.failure) == (State.FAILED, "The disk is full.")
    Run.objects.filter(pk=run.pk).update(state=Run.State.WAITING)
    aggregate(version)
    Run.objects.update(state=Run.State.FAILED)
    assert (view().state, view().run) == (State.SHOWN, run)


def test_a_run_that_is_not_planned_yet_waits_for_records_of_devices() -> None:
    """They lie in no shard before it seals their day."""
    version = define()
    wait_from_device(version, 150, days_ago(1))
    wait_from_device(version, 50, days_ago(1), "fr_FR")
    assert view().state == State.NO_DATA
    run = start_run(version, ring=False)
    assert (run.first_day, run.last_day) == (days_ago(1), days_ago(1))
    assert (view().state, view().run) == (State.WAITING, run)
    assert view(from_=str(days_ago(1)), to=str(days_ago(1))).state == State.WAITING
    assert view(to=str(days_ago(2))).state == State.NO_DATA, "the run is about other days"
    assert view(from_=str(days_ago(0))).state == State.NO_DATA
    assert view(locale="fr_FR").state == State.NO_DATA, "too few to be sealed"
    Run.objects.update(state=Run.State.FAILED, failure="The disk is full.")
    assert view().state == State.FAILED
    assert view(locale="fr_FR").state == State.NO_DATA
    Run.objects.update(state=Run.State.WAITING)
    aggregate(version)
    assert view().state == State.SHOWN
    # What came since is not of this run.
    wait_from_device(version, 150, days_ago(0), "fr_FR")
    Run.objects.update(state=Run.State.RUNNING, last_day=days_ago(0))
    assert view(locale="fr_FR").state == State.NO_DATA


def test_below_the_minimum_nothing_is_shown_not_even_n() -> None:
    version = define()
    send(version, 99)
    aggregate(version)
    assert (view().state, view().histogram, view().rows) == (State.BELOW_MINIMUM, None, ())


def test_what_arrives_after_a_run_waits_for_the_next_and_not_for_the_last() -> None:
    version = define()
    send(version, 50)
    aggregate(version)
    send(version, 500)
    assert (view().state, view().run) == (State.WAITING, None)


def test_all_below_the_threshold_is_a_state_of_its_own() -> None:
    version = define(dictionary=["quince"])
    send(version, 1000)
    aggregate(version)
    assert (view().state, view().histogram.n) == (State.NONE_ABOVE, 1000)


def test_the_default_window_is_all_days_and_others_are_made_when_asked_for() -> None:
    version = define()
    for day in (3, 2, 1):
        send(version, 150, day=days_ago(day))
    aggregate(version)
    assert view().histogram.n == 450
    assert view(from_=str(days_ago(2))).histogram.n == 300
    assert view(to=str(days_ago(2))).histogram.n == 300
    assert view(from_=str(days_ago(2)), to=str(days_ago(2))).histogram.n == 150
    # The same days asked for in a wider way are the same window.
    assert view(from_=str(days_ago(30))).histogram == view().histogram


def shown(**parameters: str) -> tuple[Any, Any]:
    """How long ago the window that is shown begins and ends."""
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
    assert view(days="2", to=str(days_ago(30))).state == State.NO_DATA


def test_a_length_ends_on_the_newest_day_that_is_shown() -> None:
    version = define()
    for day in (4, 3, 2):
        send(version, 150, day=days_ago(day))
    aggregate(version)
    send(version, 10, day=days_ago(1))
    aggregate(version)
    assert shown(days="1") == (2, 2)
    assert shown(days="2") == (3, 2)
    # Whoever names the day has to hear about it.
    assert view(days="1", to=str(days_ago(1))).state == State.BELOW_MINIMUM


def test_a_window_that_would_single_out_a_small_day_is_not_shown() -> None:
    """Every large day is published by itself, so that a small one among them would be what is left."""
    version = define()
    for day in (4, 2, 1):
        send(version, 150, day=days_ago(day))
    aggregate(version)
    send(version, 40, day=days_ago(3))
    aggregate(version)
    ends = {"from_": str(days_ago(3)), "to": str(days_ago(1))}
    assert view(**ends).state == State.BELOW_MINIMUM
    assert shown(days="2") == (2, 1)
    # A length falls back to what is published.
    assert shown(days="3") == (4, 1)
    assert view(days="3").is_other_window
    assert not view(days="2").is_other_window


def test_a_length_of_days_that_are_too_few_by_themselves_rules_out_no_weeks() -> None:
    version = define()
    for day in range(1, 22):
        send(version, 25, day=days_ago(day))
    aggregate(version)
    published = set(Histogram.objects.values_list("pk", flat=True))
    asked = {days: view(days=days) for days in ("7", "14")}
    weeks = [h for h in Histogram.objects.order_by("last_day") if (h.last_day - h.first_day).days == 6]
    assert {found.histogram for found in asked.values()} == {weeks[-1]}
    assert asked["7"].is_other_window == (weeks[-1].last_day != days_ago(1))
    assert asked["14"].is_other_window
    assert weeks[-1].last_day.isoweekday() == 7
    assert view(days="7", to=str(weeks[0].last_day)).histogram == weeks[0]
    assert view(days="7", to=str(days_ago(20))).state == State.BELOW_MINIMUM
    assert set(Histogram.objects.values_list("pk", flat=True)) == published


def test_newest_days_that_are_too_few_do_not_hide_the_older_ones() -> None:
    version = define()
    send(version, 150, day=days_ago(3))
    aggregate(version)
    send(version, 10, day=days_ago(1))
    aggregate(version)
    assert (view().histogram.n, view().histogram.last_day) == (150, days_ago(3))


def test_versions_are_never_mixed() -> None:
    send(define(), 150)
    aggregate(UseCase.objects.get().versions.get(number=1))
    send(define(parameters={"epsilon": 8, "k": 1024, "m": 128}), 130)
    aggregate(UseCase.objects.get().versions.get(number=2))
    assert (view().version.number, view().histogram.n) == (2, 130)
    assert (view(version="1").version.number, view(version="1").histogram.n) == (1, 150)


def test_top_and_search_choose_rows() -> None:
    version = define()
    send(version, 3000)
    aggregate(version)
    assert [row.entry.element for row in view().rows] == ["apple", "banana", "cherry"]
    assert [row.entry.element for row in view(top="2").rows] == ["apple", "banana"]
    assert [row.entry.element for row in view(q="RR").rows] == ["cherry"]
    assert view(q="nothing").rows == ()
    assert sum(row.share for row in view().rows) == pytest.approx(1, abs=0.05)


def test_a_word_is_found_by_its_letters_not_by_its_padding() -> None:
    version = define(normalization="word", dictionary=["apple"])
    for search, found in (("malus", True), ("APPLE", True), ("_", False), ("apple_", False)):
        assert matches(version, "apple_____", "Malus", search) is found, search


def test_a_view_is_written_as_it_is_shown() -> None:
    version = define()
    assert view().document() is None
    send(version, 3000)
    aggregate(version)
    document = view(sort="-rank", top="2").document()
    assert document["n"] == 3000
    assert [entry["element"] for entry in document["entries"]] == ["banana", "apple"]


def test_emoji_are_found_by_name_in_the_readers_language(settings: Any) -> None:
    from django.utils.translation import override

    version = define(normalization="emoji", dictionary=["😂", "❤️"])
    from reports.results.names import colourful, element_name, is_called

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


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
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
        ({"category": "a\0b"}, "category"),
        ({"words": "new"}, "words"),
        ({"words": "good"}, "words"),
        ({"sort": "first-seen"}, "sort"),
        ({"sort": "seen"}, "sort"),
        ({"values": "consistent"}, "values"),
    ],
)
def test_what_cannot_be_understood_is_said(parameters: dict[str, str], field: str) -> None:
    version = define()
    # A draft is known only to those who define the use case.
    draft = {"number": 2, "state": Version.State.DRAFT, "algorithm": version.algorithm, "parameters": {}}
    Version.objects.create(use_case=version.use_case, normalization="raw", locales=["en_US"], **draft)
    with pytest.raises(QueryError) as caught:
        histogram_view(UseCase.objects.get(), HistogramQuery.from_parameters(parameters))
    assert caught.value.field == field


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


def test_a_part_of_a_window_never_passes_for_the_whole() -> None:
    """After a change of the dictionary only some days are read out again."""
    version = define()
    for day in (3, 2, 1):
        send(version, 150, day=days_ago(day))
    aggregate(version)
    version = define(dictionary=["apple", "banana"])
    aggregate(version, days_ago(2), days_ago(1))
    wide = view(from_=str(days_ago(9)), to=str(days_ago(0)))
    assert (wide.histogram.n, wide.histogram.revision.number) == (450, 1)
    assert view(from_=str(days_ago(2))).histogram.revision.number == 2
    aggregate(version)
    assert (view().histogram.n, view().histogram.revision.number) == (450, 2)


def test_a_window_with_sealed_days_that_are_not_read_out_waits() -> None:
    version = define()
    for day in (5, 4, 2, 1):
        send(version, 150, day=days_ago(day))
    aggregate(version)
    send(version, 150, day=days_ago(3))
    start_run(version, ring=False)
    seal_days(version)
    Run.objects.filter(state=Run.State.WAITING).delete()
    narrow = view(from_=str(days_ago(4)), to=str(days_ago(2)))
    assert (narrow.state, narrow.histogram) == (State.WAITING, None)
    aggregate(version)
    assert view(from_=str(days_ago(4)), to=str(days_ago(2))).histogram.n == 450


@pytest.mark.django_db(transaction=True)
def test_a_page_does_not_wait_for_a_run_that_publishes() -> None:
    version = define()
    for day in (2, 1):
        send(version, 150, day=days_ago(day))
    aggregate(version)
    Histogram.objects.filter(first_day=days_ago(2), last_day=days_ago(1)).delete()
    with transaction.atomic():
        lock_publications(version)
        (found,) = together(1, lambda: view(from_=str(days_ago(2)), to=str(days_ago(1))).histogram)
    assert found is None
    assert view().histogram.n == 300
