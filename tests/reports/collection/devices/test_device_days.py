"""Rows of devices become a batch: enough are counted on the day that is sealed, fewer wait for a week at most."""

import datetime

import pytest
from django.utils import timezone

from reports.collection import closing, devices, tasks
from reports.collection.closing import seal_days, seal_finished_days
from reports.collection.devices.definitions_in_force import read_definitions
from reports.jobs.working import begin
from reports.models import (
    Batch,
    DeviceKey,
    DroppedReports,
    Histogram,
    IdempotencyKey,
    KnownDay,
    MixedRecords,
    PendingFile,
    ReadOut,
    Run,
    Sealing,
    Shard,
    UploadDigest,
    UseCase,
    Version,
)
from reports.models.uploads import utc_today
from reports.runs import NothingToAggregate, start_run, uncounted_versions, unseen_versions
from reports.runs.ordering import start_runs_of_finished_days
from tests.reports.devices import (
    arrive,
    document_of,
    new_key,
    report,
    segment_of,
    stored_records,
    waiting,
    waiting_records,
)
from tests.reports.factories import apply, definition, of_records, record_lines, send
from tests.reports.small_fleet import aggregate, days_ago, define_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def set_clock(monkeypatch: pytest.MonkeyPatch, day: datetime.date) -> None:
    """Noon of a day that the site knows: every hour it notes which day it is."""
    KnownDay.objects.update_or_create(pk=1, defaults={"day": day, "doubted_since": None})
    now = datetime.datetime.combine(day, datetime.time(12), datetime.UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)


@pytest.fixture
def version(db: None) -> Version:
    apply(definition(minimum_reports=5))
    return Version.objects.get()


def sealed(version: Version) -> list[tuple[datetime.date, str, int]]:
    shards = version.shards.filter(batch=None, stream="element")
    return list(shards.order_by("day", "locale").values_list("day", "locale", "size"))


# --- Enough ---


def test_enough_become_a_batch_of_their_day(version: Version) -> None:
    arrive(version, 5, day=days_ago(1))
    arrive(version, 4, day=days_ago(1), locale="fr_FR")
    records = waiting_records(version)
    seal_finished_days()
    assert sealed(version) == [(days_ago(1), "en_US", 5)]
    batch = Batch.objects.get()
    assert (batch.day, batch.state, batch.accepted, batch.rejected) == (days_ago(1), "sealed", 5, {})
    assert batch.use_case_ids == [version.use_case_id]
    assert not UploadDigest.objects.exists()
    assert waiting() == 4
    arrive(version, 1, day=days_ago(1), locale="fr_FR")
    assert len(stored_records(version)) == 5 * len(records) // 9


def test_uploads_for_the_day_hide_nobody(version: Version) -> None:
    """The batch of what waited has its own number, which owners see beside those of the others."""
    arrive(version, 4, day=days_ago(1))
    send(of_records(record_lines(50)), day=days_ago(1))
    assert devices.enough_days(version) == {}
    assert not devices.has_enough(version)
    seal_days(version)
    assert devices.drain(version, days_ago(1)) is None
    assert (sealed(version), waiting()) == ([(days_ago(1), "en_US", 50)], 4)
    arrive(version, 1, seed=1)
    assert devices.has_enough(version)
    assert devices.enough_days(version) == {utc_today(): ["en_US"]}
    seal_days(version)
    assert sealed(version) == [(days_ago(1), "en_US", 50), (utc_today(), "en_US", 5)]
    assert sorted(Batch.objects.values_list("accepted", flat=True)) == [5, 50]


def test_both_streams_of_words_go_together() -> None:
    version = define_words(minimum_reports=5)
    arrive(version, 6, day=days_ago(1))
    streams = ("element", "fragment-1", "fragment-3")
    before = {stream: waiting_records(version, stream) for stream in streams}
    seal_finished_days()
    assert {stream: stored_records(version, stream) for stream in streams} == before
    assert Batch.objects.get().accepted == 6
    assert waiting() == 0


@pytest.mark.parametrize(
    ("use_case", "state"), [("paused", "active"), ("archived", "active"), ("running", Version.State.CLOSED)]
)
def test_what_was_taken_in_in_time_counts(version: Version, use_case: str, state: str) -> None:
    arrive(version, 5, day=days_ago(1))
    UseCase.objects.update(state=use_case)
    Version.objects.update(state=state)
    tasks.seal_finished_days()
    assert sealed(version) == [(days_ago(1), "en_US", 5)]


def test_many_more_than_are_handed_on_at_once(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.collection.devices.portions.BLOCK_BYTES", 400)
    arrive(version, 10, day=days_ago(1))
    records = waiting_records(version)
    seal_finished_days()
    assert stored_records(version) == records


# --- Too few ---


def test_too_few_are_carried_on_until_they_are_enough(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    today = utc_today()
    for day, arrived in enumerate([2, 2, 0, 1]):
        set_clock(monkeypatch, today + datetime.timedelta(days=day))
        seal_finished_days()
        assert not Shard.objects.exists()
        read_definitions.cache_clear()
        arrive(version, arrived, seed=day)
    set_clock(monkeypatch, today + datetime.timedelta(days=4))
    seal_finished_days()
    # Counted on the day that completed them.
    assert sealed(version) == [(today + datetime.timedelta(days=3), "en_US", 5)]
    assert waiting() == 0
    assert not DroppedReports.objects.exists()


def test_a_week_at_most_then_they_are_dropped_and_counted(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    today = utc_today()
    arrive(version, 3)
    arrive(version, 2, locale="fr_FR")
    for day in range(1, 8):
        set_clock(monkeypatch, today + datetime.timedelta(days=day))
        tasks.seal_finished_days()
        assert waiting() == 5, f"carried to day {day}"
    set_clock(monkeypatch, today + datetime.timedelta(days=8))
    for _ in range(2):
        tasks.seal_finished_days()
        assert waiting() == 0
        dropped = DroppedReports.objects.order_by("locale").values_list("version", "locale", "day", "reports")
        assert list(dropped) == [(version.pk, "en_US", utc_today(), 3), (version.pk, "fr_FR", utc_today(), 2)]
    assert not Batch.objects.exists()
    assert not Shard.objects.exists()


def test_what_is_dropped_twice_on_a_day_adds_up_and_a_report_counts_once() -> None:
    version = define_words(minimum_reports=5)
    for count in (2, 1):
        arrive(version, count, day=days_ago(8), seed=count)
        seal_finished_days()
    assert DroppedReports.objects.get().reports == 3
    assert waiting() == 0


def test_not_longer_than_reports_are_kept_at_all(version: Version) -> None:
    UseCase.objects.update(retention_days=3)
    for ago in (1, 2, 3):
        arrive(version, 1, day=days_ago(ago), seed=ago)
    seal_finished_days()
    assert sorted(MixedRecords.objects.values_list("day", flat=True)) == [days_ago(2), days_ago(1)]
    assert DroppedReports.objects.get().reports == 1


def test_the_last_day_may_complete_them_yet(version: Version) -> None:
    arrive(version, 4, day=days_ago(8))
    arrive(version, 1, day=days_ago(1), seed=1)
    seal_finished_days()
    assert sealed(version) == [(days_ago(1), "en_US", 5)]
    assert not DroppedReports.objects.exists()


def test_after_weeks_in_which_nothing_was_sealed_nothing_is_carried_for_longer(version: Version) -> None:
    """Reports that were enough on their day are counted on it; too few for a week, they join no others."""
    arrive(version, 4, day=days_ago(20))
    arrive(version, 5, day=days_ago(18), locale="fr_FR")
    arrive(version, 4, day=days_ago(9), seed=1)
    arrive(version, 1, day=days_ago(1), seed=2)
    assert devices.enough_days(version) == {days_ago(18): ["fr_FR"]}
    assert devices.drain(version, days_ago(1)) is None
    seal_finished_days()
    assert sealed(version) == [(days_ago(18), "fr_FR", 5)]
    assert list(MixedRecords.objects.values_list("day", "size")) == [(days_ago(1), 1)]
    assert DroppedReports.objects.get().reports == 8


def test_a_run_after_weeks_takes_none_that_waited_for_longer_either(version: Version) -> None:
    arrive(version, 9, day=days_ago(8))
    assert not devices.has_enough(version)
    arrive(version, 4, seed=1)
    for day in range(1, 9):
        Sealing.objects.create(version=version, day=days_ago(day))
    assert not devices.has_enough(version)
    assert devices.enough_days(version) == {}
    arrive(version, 1, seed=2)
    assert devices.has_enough(version)
    seal_days(version)
    assert sealed(version) == [(utc_today(), "en_US", 5)]
    assert waiting() == 9


def test_a_day_that_is_sealed_takes_in_nothing_more(version: Version) -> None:
    """Reports of the last moment of a day, committed after its sealing, count on the next."""
    Sealing.objects.create(version=version, day=days_ago(2))
    arrive(version, 6, day=days_ago(2))
    seal_finished_days()
    assert sealed(version) == [(days_ago(1), "en_US", 6)]


def test_after_weeks_the_day_after_takes_in_what_came_when_its_own_was_sealed(version: Version) -> None:
    """As it would have gone had the workers not been down."""
    for day in (10, 9):
        Sealing.objects.create(version=version, day=days_ago(day))
    arrive(version, 5, day=days_ago(10))
    arrive(version, 4, day=days_ago(10), locale="fr_FR")
    seal_finished_days()
    assert sealed(version) == [(days_ago(8), "en_US", 5)]
    assert DroppedReports.objects.get().reports == 4


def test_nothing_is_to_be_seen_of_too_few(version: Version) -> None:
    arrive(version, 4, day=days_ago(1))
    arrive(version, 4, locale="fr_FR")
    seal_finished_days()
    assert uncounted_versions(version.use_case) == unseen_versions(version.use_case) == []
    with pytest.raises(NothingToAggregate):
        start_run(version)
    start_runs_of_finished_days()
    for model in (Batch, Shard, Sealing, Run, ReadOut, Histogram):
        assert not model._default_manager.exists()


# --- Keys ---


def test_keys_are_forgotten_a_day_after_theirs_is_over(version: Version) -> None:
    arrive(version, 3)
    for key, ago in zip(DeviceKey.objects.order_by("pk"), (0, 1, 2), strict=True):
        DeviceKey.objects.filter(pk=key.pk).update(day=days_ago(ago))
    seal_days(version)
    assert DeviceKey.objects.count() == 3
    seal_finished_days()
    assert sorted(DeviceKey.objects.values_list("day", flat=True)) == [days_ago(1), utc_today()]


def test_a_device_whose_clock_is_slow_sends_again_after_midnight(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its report is sealed by then, and is not counted again."""
    today = utc_today()
    arrive(version, 4)
    body, key = document_of(segment_of(version, report(version, 9))), devices.Key(new_key())
    devices.take_in(body, key)
    set_clock(monkeypatch, today + datetime.timedelta(days=1))
    tasks.seal_finished_days()
    assert sealed(version) == [(today, "en_US", 5)]
    read_definitions.cache_clear()
    devices.take_in(body, key)
    assert waiting() == 0


# --- What goes wrong ---


@pytest.mark.parametrize("deed", ["drain", "_close", "merge_files"])
def test_a_version_that_cannot_be_sealed_keeps_nothing_else(
    version: Version, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    other = define_words(minimum_reports=5)
    for each in (version, other):
        arrive(each, 2, day=days_ago(8), locale="fr_FR")
        arrive(each, 5, day=days_ago(1))
    arrive(version, 1)
    DeviceKey.objects.update(day=days_ago(2))
    superseded = define_words(minimum_reports=5, slug="old")
    Version.objects.filter(pk=superseded.pk).update(state=Version.State.SUPERSEDED, accepts_until=days_ago(1))
    batch = Batch.objects.create(day=days_ago(9), accepted=1, rejected={})
    IdempotencyKey.objects.create(key_hmac=b"k", content_hmac=b"c", batch=batch, created_on=days_ago(9))
    PendingFile.objects.create(file_name="shards/forgotten.npy", created_on=days_ago(9))
    original = getattr(closing, deed)

    def broken(of: Version | Sealing, *rest: object) -> object:
        if (of if isinstance(of, Version) else of.version) == version:
            raise OSError("the disk is full")
        return original(of, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(closing, deed, broken)
        with pytest.raises(OSError, match="the disk is full"):
            tasks.seal_finished_days()
    assert sealed(other) == [(days_ago(1), "en_US", 5)]
    assert waiting(other) == 0
    assert DroppedReports.objects.get(version=other).reports == 2
    # Unless its rows could not be counted, they are dropped when they are overdue.
    assert DroppedReports.objects.filter(version=version).exists() == (deed != "drain")
    assert not DeviceKey.objects.exists()
    superseded.refresh_from_db()
    assert superseded.state == Version.State.CLOSED
    assert not IdempotencyKey.objects.exists()
    assert not PendingFile.objects.filter(created_on=days_ago(9)).exists()
    tasks.seal_finished_days()
    assert sealed(version) == [(days_ago(1), "en_US", 5)]
    assert waiting(version) == 1


# --- Runs ---


def test_a_day_of_nothing_but_devices_is_sealed_counted_and_published_by_itself(version: Version) -> None:
    arrive(version, 6, day=days_ago(1))
    tasks.seal_finished_days()
    start_runs_of_finished_days()
    run = Run.objects.get()
    assert (run.first_day, run.last_day) == (days_ago(1), days_ago(1))
    aggregate(version)
    assert [(found.n, found.first_day) for found in Histogram.objects.all()] == [(6, days_ago(1))]


def test_aggregate_now_with_reports_of_today(version: Version) -> None:
    arrive(version, 4)
    assert uncounted_versions(version.use_case) == []
    arrive(version, 1, seed=1)
    assert uncounted_versions(version.use_case) == unseen_versions(version.use_case) == [version]
    run = aggregate(version)
    assert (run.first_day, run.last_day) == (utc_today(), utc_today())
    assert Histogram.objects.get().n == 5
    assert uncounted_versions(version.use_case) == []
    # Later arrivals make a run of their own, as uploads do.
    arrive(version, 5, seed=2)
    assert start_run(version, ring=False) != run
    aggregate(version)
    assert Histogram.objects.get().n == 10


def test_an_unfinished_run_that_was_planned_before_they_came_is_not_taken_for_theirs(version: Version) -> None:
    arrive(version, 5)
    first = start_run(version, ring=False)
    assert start_run(version, ring=False) == first
    begin(first)
    assert start_run(version, ring=False) == first
    arrive(version, 5, seed=1)
    assert start_run(version, ring=False) != first


def test_a_run_over_other_days_leaves_them(version: Version) -> None:
    arrive(version, 5)
    with pytest.raises(NothingToAggregate):
        start_run(version, last=days_ago(1))
    with pytest.raises(NothingToAggregate):
        start_run(version, days_ago(3), days_ago(1))
    assert waiting() == 5


# --- The way of a record through all of it ---


def test_every_report_is_waiting_counted_or_dropped(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    sent, today = 0, utc_today()
    for day, arrived in enumerate([3, 1, 0, 6, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1]):
        set_clock(monkeypatch, today + datetime.timedelta(days=day))
        tasks.seal_finished_days()
        read_definitions.cache_clear()
        arrive(version, arrived, seed=day)
        sent += arrived
        counted = sum(version.shards.values_list("size", flat=True))
        dropped = sum(DroppedReports.objects.values_list("reports", flat=True))
        assert waiting() + counted + dropped == sent
    assert (waiting(), counted, dropped) == (1, 10, 2)
