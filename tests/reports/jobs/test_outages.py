"""Jobs while the storage or the database is away: they wait, for hours if need be, and go on by themselves."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from reports.jobs import finish_inline, retry
from reports.jobs.failing import postpone
from reports.jobs.leases import claim
from reports.jobs.working import begin, do, work_on
from reports.models import Job
from reports.storage import StorageUnavailable
from tests.models import Toy, ToyPart
from tests.reports.jobs.conftest import ToyJobs

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def away(*_arguments: object) -> None:
    raise StorageUnavailable("SlowDown")


def there(*_arguments: object) -> None:
    """Do nothing: the storage answers."""


def waiting(toy: Toy) -> Toy:
    """The job, which waits for the storage."""
    toy.refresh_from_db()
    assert toy.state == Job.State.RUNNING
    assert toy.failure == "Waiting for the storage, which cannot be read or written now (SlowDown)."
    assert toy.waits_until is not None
    return toy


def later(toy: Toy, time: timedelta | None = None) -> None:
    """Let time pass: until the job is tried again, unless another is given."""
    toy.refresh_from_db()
    if time is None:
        assert toy.not_before is not None
        time = toy.not_before - timezone.now()
    names = ("created_at", "failing_since", "not_before")
    Toy.objects.filter(pk=toy.pk).update(**{name: getattr(toy, name) - time for name in names if getattr(toy, name)})


def planned(size: int = 1) -> Toy:
    toy = Toy.objects.create(size=size)
    begin(toy)
    return toy


def test_parts_are_not_tried_before_their_time_and_lose_no_attempt(toys: ToyJobs, called: list[Job]) -> None:
    toy = planned(2)
    toys.before_part = away
    work_on(toy)
    waiting(toy)
    assert not toy.parts.exclude(attempts=0, errors=0, lease_expires_at=None).exists()
    toys.before_part = there
    work_on(toy)
    assert not toy.parts.exclude(finished_at=None).exists()
    later(toy)
    called.clear()
    do(claim(toy))
    assert called == [toy], "the others waited as well"
    finish_inline(toy)
    toy.refresh_from_db()
    assert (toy.state, toy.failure, toy.failing_since, toy.not_before) == (Job.State.FINISHED, "", None, None)
    assert not toy.parts.exclude(attempts=1).exists()


def test_the_database_is_waited_for_as_well(toys: ToyJobs) -> None:
    def broken(_part: ToyPart) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    toy = planned()
    toys.before_part = broken
    work_on(toy)
    toy.refresh_from_db()
    assert (toy.state, toy.failure) == (Job.State.RUNNING, "Waiting for the database, which did not answer.")
    toys.before_part = there
    later(toy)
    assert finish_inline(toy).state == Job.State.FINISHED


def test_an_outage_of_hours_fails_no_job_and_one_of_more_than_a_day_does(toys: ToyJobs) -> None:
    toy = planned()
    began = toy.created_at
    toys.before_part = away
    delays = []
    while True:
        work_on(toy)
        toy.refresh_from_db()
        if toy.state == Job.State.FAILED:
            break
        passed = began - toy.created_at
        until = waiting(toy).not_before
        assert until is not None
        delays.append((passed, until - timezone.now()))
        later(toy)
    # About as long as it has lasted, from 15 s to half an hour, longer or shorter by a quarter.
    for passed, delay in delays:
        meant = min(max(passed, timedelta(seconds=15)), timedelta(minutes=30))
        assert 0.74 * meant < delay < 1.26 * meant + timedelta(seconds=10)
    assert 40 < len(delays) < 80
    assert timedelta(hours=23) < delays[-1][0] < timedelta(hours=24, minutes=1)
    assert toy.failure == "The storage could not be read or written (SlowDown). Mend it, then retry."
    toys.before_part = there
    retry(toy)
    assert finish_inline(toy).state == Job.State.FINISHED


def test_progress_begins_the_waiting_anew(toys: ToyJobs) -> None:
    toy = planned(3)
    toys.before_part = away
    work_on(toy)
    later(toy, timedelta(hours=23))
    toys.before_part = there
    do(claim(toy))
    toy.refresh_from_db()
    assert (toy.failing_since, toy.not_before, toy.failure) == (None, None, "")
    toys.before_part = away
    work_on(toy)
    since = waiting(toy).failing_since
    assert since is not None
    assert timezone.now() - since < timedelta(minutes=1)


def test_parts_that_meet_the_same_outage_put_a_job_off_once_and_it_may_be_tried_now(called: list[Job]) -> None:
    toy = planned()
    postpone(toy, ConnectionError())
    toy.refresh_from_db()
    first, since = toy.not_before, toy.failing_since
    for _ in range(5):
        postpone(toy, TimeoutError())
    toy.refresh_from_db()
    assert toy.not_before == first
    retry(toy)
    toy.refresh_from_db()
    assert (toy.not_before, toy.failing_since, called) == (None, since, [toy])
    assert finish_inline(toy).state == Job.State.FINISHED
