"""Runs while the storage or the database is away: they wait, for hours if need be, and go on by themselves."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from reports.models import Histogram, Part, Run, Version
from reports.runs import cutting, failing, finish_inline, retry, start_run, sweep, work_on
from reports.runs.parts import begin
from tests.reports.buckets import Bucket
from tests.reports.small_fleet import FRUITS, days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def version(bucket: Bucket) -> Version:
    """A use case with 400 reports of yesterday, in a bucket."""
    version = define()
    send(version, 400, day=days_ago(1))
    return version


def waiting(run: Run) -> Run:
    """The run, which waits for the storage."""
    run.refresh_from_db()
    assert run.state == Run.State.RUNNING
    assert (
        run.failure_in_words
        == "The run waits for the storage, which cannot be read or written now (ServiceUnavailable)."
    )
    assert run.waits_until is not None
    return run


def later(run: Run, time: timedelta | None = None) -> None:
    """Let time pass: until the run is tried again, unless another is given."""
    run.refresh_from_db()
    if time is None:
        assert run.not_before is not None
        time = run.not_before - timezone.now()
    changes = {
        name: getattr(run, name) - time for name in ("created_at", "failing_since", "not_before") if getattr(run, name)
    }
    Run.objects.filter(pk=run.pk).update(**changes)


def assert_finished(run: Run) -> None:
    run.refresh_from_db()
    assert (run.state, run.failure, run.failing_since, run.not_before) == (Run.State.FINISHED, "", None, None)
    assert Histogram.objects.get().n == 400


def test_a_part_waits_for_the_storage_and_none_is_tried_before_its_time(
    version: Version, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "LOOK_UPS_PER_PART", 120 * len(FRUITS))
    run = start_run(version, ring=False)
    part_ids = begin(run.pk)
    assert len(part_ids) > 1
    later(run, timedelta(minutes=5))  # the run's messages are not on their way any more
    bucket.is_away = True
    work_on(part_ids[0])
    waiting(run)
    assert not Part.objects.exclude(attempts=0, errors=0, lease_expires_at=None).exists()
    bucket.is_away = False
    work_on(part_ids[1])
    sweep()
    assert not Part.objects.exclude(finished_at=None).exists()
    later(run)
    sweep()
    assert_finished(run)
    assert not Part.objects.exclude(attempts=1).exists()


def test_planning_waits_for_the_storage(version: Version, bucket: Bucket) -> None:
    run = start_run(version, ring=False)
    bucket.is_away = True
    assert begin(run.pk) == []
    assert waiting(run).planned_at is None
    bucket.is_away = False
    assert begin(run.pk) == []
    later(run, timedelta(minutes=5))
    sweep()
    assert_finished(run)


def test_publishing_waits_for_the_storage_and_leaves_nothing_half_done(
    version: Version, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    later(run, timedelta(minutes=5))
    with monkeypatch.context() as patch:
        patch.setattr("reports.runs.parts.complete", lambda *_run, **_how: None)  # and the worker is gone
        work_on(part_id)
    stored = set(bucket.files)
    bucket.is_away = True
    sweep()
    waiting(run)
    assert not version.read_outs.exists()
    assert set(bucket.files) == stored
    bucket.is_away = False
    sweep()
    waiting(run)
    later(run)
    sweep()
    assert_finished(run)


def test_the_database_is_waited_for_as_well(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)

    def broken(*_arguments: Any) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    with monkeypatch.context() as patch:
        patch.setattr("reports.runs.parts.result_of", broken)
        work_on(part_id)
    run.refresh_from_db()
    assert (run.state, run.failure) == (Run.State.RUNNING, "The run waits for the database, which did not answer.")
    later(run)
    work_on(part_id)
    assert_finished(run)


def test_an_outage_of_hours_fails_no_run_and_one_of_more_than_a_day_does(version: Version, bucket: Bucket) -> None:
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    began = run.created_at
    bucket.is_away = True
    delays = []
    while True:
        work_on(part_id)
        run.refresh_from_db()
        if run.state == Run.State.FAILED:
            break
        passed = began - run.created_at
        until = waiting(run).not_before
        assert until is not None
        delays.append((passed, until - timezone.now()))
        later(run)
    # About as long as it has lasted, from 15 s to half an hour, longer or shorter by a quarter.
    for passed, delay in delays:
        planned = min(max(passed, timedelta(seconds=15)), timedelta(minutes=30))
        assert 0.74 * planned < delay < 1.26 * planned + timedelta(seconds=10)
    assert 40 < len(delays) < 80
    assert timedelta(hours=23) < delays[-1][0] < timedelta(hours=24, minutes=1)
    assert run.failure == "The storage could not be read or written (ServiceUnavailable). Mend it, then retry."
    bucket.is_away = False
    retry(run)
    assert finish_inline(run.pk, lambda _progress: None).state == Run.State.FINISHED
    assert_finished(run)


def test_progress_begins_the_waiting_anew(version: Version, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "LOOK_UPS_PER_PART", 120 * len(FRUITS))
    run = start_run(version, ring=False)
    first, second, *_rest = begin(run.pk)
    bucket.is_away = True
    work_on(first)
    later(run, timedelta(hours=23))
    bucket.is_away = False
    work_on(first)
    run.refresh_from_db()
    assert (run.failing_since, run.not_before, run.failure) == (None, None, "")
    bucket.is_away = True
    work_on(second)
    since = waiting(run).failing_since
    assert since is not None
    assert timezone.now() - since < timedelta(minutes=1)


def test_parts_that_meet_the_same_outage_put_a_run_off_once(version: Version, bucket: Bucket) -> None:
    run = start_run(version, ring=False)
    begin(run.pk)
    failing.postpone(run.pk, ConnectionError())
    run.refresh_from_db()
    first = run.not_before
    for _ in range(5):
        failing.postpone(run.pk, TimeoutError())
    run.refresh_from_db()
    assert run.not_before == first


def test_a_run_that_waits_may_be_tried_now(version: Version, bucket: Bucket) -> None:
    run = start_run(version, ring=False)
    bucket.is_away = True
    begin(run.pk)
    since = waiting(run).failing_since
    bucket.is_away = False
    retry(run)
    run.refresh_from_db()
    assert (run.not_before, run.failing_since) == (None, since)
    assert finish_inline(run.pk, lambda _progress: None).state == Run.State.FINISHED


@pytest.mark.parametrize("step", ["reports.runs.planning.seal_days", "reports.runs.publishing.cut"])
def test_planning_and_publishing_are_tried_three_times_whatever_goes_wrong(
    version: Version, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    calls = 0

    def broken(*_arguments: Any) -> None:
        nonlocal calls
        calls += 1
        raise KeyError("reports")

    run = start_run(version, ring=False)
    with monkeypatch.context() as patch:
        patch.setattr(step, broken)
        for part_id in begin(run.pk):
            work_on(part_id)
        later(run, timedelta(minutes=5))
        states = []
        for _ in range(3):
            states.append(Run.objects.get().state)
            sweep()
    assert calls == 3
    assert states == [Run.State.RUNNING, Run.State.RUNNING, Run.State.FAILED]
    assert "KeyError" in Run.objects.get().failure
