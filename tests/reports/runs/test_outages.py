"""Runs while the storage is away: whatever they were at, they wait, and go on by themselves."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reports.jobs import sweep
from reports.models import Histogram, Part, Run, Version
from reports.runs import cutting, start_run
from tests.reports.buckets import Bucket
from tests.reports.runs.stepwise import begin, work_on
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
        patch.setattr("reports.jobs.working._complete", lambda *_run, **_how: None)  # and the worker is gone
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
