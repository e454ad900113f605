"""Runs while the storage is away: whatever they were at, they wait, and go on by themselves."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from reports.jobs.working import sweep
from reports.models import Histogram, Part, Run, Version
from reports.runs import part_ranges, start_run
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
    assert run.failure_in_words == "Waiting for the storage, which cannot be read or written now (ServiceUnavailable)."
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


def test_whatever_a_run_is_at_it_waits_and_leaves_nothing_half_done(
    version: Version, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part_ranges, "LOOK_UPS_PER_PART", 240 * len(FRUITS))
    run = start_run(version, ring=False)

    def outage(begin_again: Callable[[], object]) -> None:
        stored = set(bucket.files)
        bucket.is_away = True
        begin_again()
        waiting(run)
        assert set(bucket.files) == stored
        bucket.is_away = False
        begin_again()
        # Not before its time.
        assert set(bucket.files) == stored
        later(run)

    outage(lambda: begin(run.pk))
    run.refresh_from_db()
    assert run.planned_at is None
    first, second = begin(run.pk)
    outage(lambda: work_on(first))
    assert not Part.objects.exclude(attempts=0, errors=0, lease_expires_at=None).exists()
    work_on(first)
    with monkeypatch.context() as patch:
        patch.setattr("reports.jobs.working._complete", lambda *_run, **_how: None)  # and the worker is gone
        work_on(second)
    later(run, timedelta(minutes=5))
    outage(sweep)
    assert not version.read_outs.exists()
    sweep()
    run.refresh_from_db()
    assert (run.state, run.failure, run.failing_since, run.not_before) == (Run.State.FINISHED, "", None, None)
    assert Histogram.objects.get().n == 400
    assert not Part.objects.exclude(attempts=1).exists()
