"""Retention waits for no run: one whose reports go ends with a reason, and what is published is right all the same."""

import logging
from typing import Any
from unittest import mock

import psycopg
import pytest

from reports.collection import seal_days
from reports.jobs import finish_inline, retry
from reports.jobs.failing import postpone
from reports.jobs.working import begin
from reports.models import (
    Batch,
    Histogram,
    Part,
    PendingFile,
    Period,
    PeriodTotal,
    ReadOut,
    Run,
    Sealing,
    Shard,
    Version,
)
from reports.models.shards import ShardQuerySet
from reports.retention import delete_all, delete_expired
from reports.runs import counting_runs, part_ranges, run_jobs, start_run
from tests.reports.collection.ingest.test_races import Elsewhere, disturbed
from tests.reports.factories import named_files, start_anew, stored_files
from tests.reports.retention.helpers import days_later, raw_files
from tests.reports.runs.stepwise import work_on
from tests.reports.small_fleet import days_ago, define, define_words, send, send_words, shown
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


@once
def three_days() -> Version:
    found = define(retention_days=10)
    for day, reports in ((9, 200), (8, 300), (7, 400)):
        send(found, reports, day=days_ago(day), seed=day)
    return found


@pytest.fixture
def version(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Version:
    """Three days of reports, of which the first has one more day to live, and parts of one shard each."""
    monkeypatch.setattr(part_ranges, "SHARDS_PER_PART", 1)
    return three_days()


def planned(version: Version) -> Run:
    run = start_run(version, ring=False)
    begin(run)
    run.refresh_from_db()
    assert run.planned_at is not None
    return run


def expire() -> None:
    with days_later(1):
        delete_expired()


def finish_the_next(version: Version) -> None:
    """Finish the run that retention has ordered in place of the one that ended."""
    newest = version.runs.order_by("created_at").last()
    assert newest is not None
    assert finish_inline(newest).state == Run.State.FINISHED


def assert_only_the_two_later_days_are_counted(version: Version) -> None:
    assert sorted(ReadOut.objects.values_list("day", "n")) == [(days_ago(8), 300), (days_ago(7), 400)]
    assert [shown(version, *days).n for days in ((9, 7), (8, 8), (7, 7))] == [700, 300, 400]
    assert set(stored_files()) == named_files()
    assert not PendingFile.objects.exists()


def test_a_run_whose_reports_go_ends_with_a_reason_and_another_counts_what_is_left(version: Version) -> None:
    run = planned(version)
    ids = list(run.parts.values_list("pk", flat=True))
    work_on(ids[0])
    assert len(raw_files()) == 3
    postpone(run, ConnectionError())
    expire()
    run.refresh_from_db()
    assert (run.state, run.failing_since, run.not_before) == (Run.State.FAILED, None, None)
    assert "retention is over" in run.failure
    assert days_ago(9).isoformat() in run.failure
    assert not run.parts.exists()
    assert len(raw_files()) == 2
    for part in ids:  # messages that are still on their way
        work_on(part)
    assert not ReadOut.objects.exists()
    finish_the_next(version)
    assert_only_the_two_later_days_are_counted(version)


def test_a_worker_in_the_middle_of_a_part_stops_without_a_trace(
    version: Version, caplog: pytest.LogCaptureFixture
) -> None:
    run = planned(version)
    real = run_jobs.result_of
    found: list[str] = []

    def interrupted(part: Part) -> Any:
        if not found:
            found.append("before")
            expire()
        return real(part)

    for part in list(run.parts.values_list("pk", flat=True)):
        with mock.patch.object(run_jobs, "result_of", interrupted), caplog.at_level(logging.INFO):
            work_on(part)
    run.refresh_from_db()
    assert (run.state, "retention is over" in run.failure) == (Run.State.FAILED, True)
    assert "Traceback" not in caplog.text
    finish_the_next(version)
    assert_only_the_two_later_days_are_counted(version)


def test_a_run_that_is_just_being_published_publishes_nothing_then(version: Version) -> None:
    run = planned(version)
    real = counting_runs._release

    def late(*arguments: Any) -> Any:
        with mock.patch.object(counting_runs, "_release", real):
            expire()
        return real(*arguments)

    with mock.patch.object(counting_runs, "_release", late):
        for part in list(run.parts.values_list("pk", flat=True)):
            work_on(part)
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert not ReadOut.objects.exists()
    finish_the_next(version)
    assert_only_the_two_later_days_are_counted(version)


def test_a_run_that_has_released_its_counts_ends_though_it_was_interrupted(version: Version) -> None:
    run = planned(version)
    with mock.patch.object(counting_runs, "warm", side_effect=KeyboardInterrupt):
        *others, last = run.parts.values_list("pk", flat=True)
        for part in others:
            work_on(part)
        with pytest.raises(KeyboardInterrupt):
            work_on(last)
    expire()
    assert finish_inline(run).state == Run.State.FINISHED
    assert shown(version, 9, 7).n == 900
    assert Run.objects.count() == 1


def test_a_run_that_failed_before_is_planned_anew(version: Version) -> None:
    """Its parts name shards by their place in a list that is shorter now."""
    run = planned(version)
    for part in list(run.parts.values_list("pk", flat=True))[:2]:
        work_on(part)
    Run.objects.update(state=Run.State.FAILED, failure="No disk.")
    expire()
    run.refresh_from_db()
    assert (run.state, run.failure, run.planned_at, run.parts.count()) == (Run.State.FAILED, "No disk.", None, 0)
    assert Run.objects.count() == 1
    retry(run)
    assert finish_inline(run).state == Run.State.FINISHED
    assert_only_the_two_later_days_are_counted(version)


def test_a_run_over_other_days_goes_on(version: Version) -> None:
    run = start_run(version, days_ago(8), days_ago(7), ring=False)
    begin(run)
    expire()
    assert finish_inline(run).state == Run.State.FINISHED
    assert_only_the_two_later_days_are_counted(version)


def test_on_demand_it_says_so_and_nothing_is_left_to_count(version: Version) -> None:
    run = planned(version)
    delete_all(version.use_case)
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "on demand" in run.failure
    assert not stored_files()
    retry(run)
    assert finish_inline(run).state == Run.State.FINISHED


def test_a_run_that_looks_for_words_keeps_the_days_that_were_sketched_before() -> None:
    version = define_words(retention_days=10)
    for day in (9, 8, 7):
        send_words(version, 300, day=days_ago(day), seed=day)
    run = planned(version)
    sketches = run.parts.filter(step=Part.Step.SKETCH).order_by("sealing__day")
    work_on(sketches[0].pk)
    expire()
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    finish_the_next(version)
    assert shown(version, 9, 7).n == 900


# --- Two at a time, in every order ---


def order_anew(version: Version, *, sealed: bool) -> Run:
    start_anew(Histogram, PeriodTotal, Period, Run, Shard, Batch, Sealing, PendingFile)
    send(version, 200, day=days_ago(3))
    if sealed:
        seal_days(version)
    return start_run(version, ring=False)


@pytest.mark.parametrize("deletes_first", [False, True])
def test_deleting_while_a_run_is_planned_and_done(deletes_first: bool, observer: psycopg.Connection[Any]) -> None:
    """One of the two is done before a step of the other: a statement, or a commit. A run seals its days first."""
    version, places = define(), range(0, 200, 5 if deletes_first else 7)
    seen, next_place = set(), 0
    for place in places:
        if place < next_place:
            continue
        run = order_anew(version, sealed=deletes_first)

        def count(run: Run = run) -> None:
            finish_inline(run)

        def delete() -> None:
            delete_all(version.use_case)

        first, second = (delete, count) if deletes_first else (count, delete)
        found = disturbed(first, second, place, observer)
        if found is None:
            assert place > 20, "the steps are not seen"
            break
        next_place = found[2]
        assert not version.shards.exists()
        assert not raw_files()
        assert not PendingFile.objects.exists()
        run.refresh_from_db()
        # Either all of the day is counted, or nothing.
        counted = list(ReadOut.objects.values_list("n", flat=True))
        assert counted in ([], [200])
        assert run.state == "finished" or (run.state, counted) == ("failed", [])
        seen.add((run.state, bool(counted)))
    assert seen >= ({("finished", False)} if deletes_first else {("finished", True), ("failed", False)})


def test_what_a_run_pins_is_not_deleted_in_between(version: Version, observer: psycopg.Connection[Any]) -> None:
    """A deletion between looking for shards and pinning them waits, and then finds the run that has them."""
    seal_days(version)
    run = start_run(version, ring=False)
    other = Elsewhere(lambda: delete_all(version.use_case))
    real = ShardQuerySet.unread
    found: list[Shard] = []

    def late(shards: ShardQuerySet, read_outs: Any) -> Any:
        if found:
            return real(shards, read_outs)
        found.extend(real(shards, read_outs))
        other.go_as_far_as_possible(observer)
        return found

    with mock.patch.object(ShardQuerySet, "unread", late):
        begin(run)
    other.finish()
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert "on demand" in run.failure
    assert not stored_files()
