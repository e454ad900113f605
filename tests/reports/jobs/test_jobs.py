"""A job that is no run: planned, done part by part and finished, whatever becomes of its workers and messages."""

import threading
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from reports.jobs import PermanentFailure, cancel, finish_inline, leases, progress_of, retry, take_up
from reports.jobs.failing import abort
from reports.jobs.leases import claim, heartbeat
from reports.jobs.tasks import work
from reports.jobs.working import MOST_LOST, begin, do, sweep, work_on
from reports.models import Job
from reports.storage import StorageUnavailable
from tests.models import Toy, ToyPart
from tests.reports.jobs.conftest import ToyJobs
from tests.reports.threads import together
from tests.workers import wait_for

pytestmark = [pytest.mark.exact, pytest.mark.django_db]
# Where several work at once, where leases are renewed beside the work, and where an error ends the connection.
commits = pytest.mark.django_db(transaction=True)

Step, State = ToyPart.Step, Job.State
SHORT = timedelta(seconds=0.6)


def planned(size: int = 3) -> Toy:
    toy = Toy.objects.create(size=size)
    begin(toy)
    toy.refresh_from_db()
    return toy


def age(toy: Toy) -> None:
    """Let the messages of a job be lost."""
    Toy.objects.filter(pk=toy.pk).update(created_at=timezone.now() - timedelta(minutes=1))


def expire_leases() -> None:
    ToyPart.objects.exclude(lease_expires_at=None).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def assert_finished(toy: Toy, attempts: int = 1) -> None:
    toy.refresh_from_db()
    assert (toy.state, toy.failure, toy.total) == (State.FINISHED, "", sum(n**2 for n in range(toy.size)))
    assert not toy.parts.exclude(attempts=attempts).exists()


def broken(*_arguments: Any) -> None:
    raise KeyError("toys")


# --- Wake-ups ---


def test_one_wake_up_does_a_whole_job_and_calls_another_worker_for_each_step(called: list[Job]) -> None:
    toy = Toy.objects.create()
    work("tests.toy", str(toy.pk))
    assert_finished(toy)
    # To the other parts of the first step, and to the next step.
    assert called == [toy, toy]
    work("tests.toy", str(toy.pk))
    assert_finished(toy)
    Toy.objects.all().delete()
    work("tests.toy", str(toy.pk))


def test_a_wake_up_does_a_part_however_little_time_it_has(monkeypatch: pytest.MonkeyPatch, called: list[Job]) -> None:
    monkeypatch.setattr("reports.jobs.working.SLICE_SECONDS", -1)
    toy = planned()
    for done in (1, 2, 3, 4):
        called.clear()
        work_on(toy)
        assert toy.parts.exclude(finished_at=None).count() == done
        # Another is on its way as long as there is something to do.
        assert called == ([toy] if done in {1, 2, 3} else [])
    assert_finished(toy)


@commits
def test_a_wake_up_goes_on_with_no_part_that_failed_or_is_leased(toys: ToyJobs) -> None:
    toy = planned()
    assert claim(toy) is not None
    toys.before_part = broken
    work_on(toy)
    # Each once: another wake-up or the sweep tries again.
    assert set(toy.parts.values_list("attempts", "errors")) == {(1, 0), (1, 1)}
    toys.before_part = lambda _part: None
    expire_leases()
    age(toy)
    sweep()
    work_on(toy)
    toy.refresh_from_db()
    assert toy.state == State.FINISHED


def test_no_part_is_begun_before_the_steps_before_are_done(toys: ToyJobs) -> None:
    toy = planned()
    last = [claim(toy) for _ in range(3)][-1]
    toy.parts.exclude(pk=last.pk).update(finished_at=timezone.now())
    ToyPart.objects.create(toy=toy, step=Step.SUM)
    assert claim(toy) is None
    do(last)
    assert claim(toy).step == Step.SUM


@commits
def test_several_workers_share_the_parts_and_finish_once(toys: ToyJobs) -> None:
    finished: list[Job] = []
    toys.before_finishing = finished.append
    toy = Toy.objects.create(size=8)
    together(3, lambda: finish_inline(toy))
    assert_finished(toy)
    assert len(finished) == 2, "the last step is planned, and the job ended"


@commits
def test_of_several_that_claim_a_part_at_once_one_gets_it() -> None:
    toy = planned(1)
    assert sum(part is not None for part in together(6, lambda: claim(toy))) == 1
    assert ToyPart.objects.get().attempts == 1


def test_a_job_without_parts_is_finished_when_it_is_planned() -> None:
    toy = planned(0)
    assert (toy.state, toy.started_at is None) == (State.FINISHED, False)


# --- Workers that die ---


def test_a_leased_part_is_left_alone_until_its_lease_expires(called: list[Job]) -> None:
    toy = planned(1)
    assert claim(toy) is not None  # a worker that is about to die
    age(toy)
    work_on(toy)
    sweep()
    assert not toy.parts.exclude(finished_at=None).exists()
    expire_leases()
    sweep()
    assert list(toy.parts.values_list("step", "attempts")) == [(Step.SQUARE, 2), (Step.SUM, 0)]
    assert called == [toy], "workers are called to the next step"


def test_a_result_that_comes_late_changes_nothing(toys: ToyJobs) -> None:
    toy = planned(1)
    late = claim(toy)
    expire_leases()
    finish_inline(toy)
    do(late)
    assert ToyPart.objects.get(pk=late.pk).facts == {}
    toy.refresh_from_db()
    assert (toy.state, toy.total) == (State.FINISHED, 0)


def test_the_sweep_finds_a_job_whose_message_was_lost() -> None:
    toy = Toy.objects.create()
    sweep()
    toy.refresh_from_db()
    assert toy.state == State.WAITING, "it may still be on its way"
    age(toy)
    for _ in range(2):
        sweep()
    assert_finished(toy)


def test_take_up_does_what_a_dead_planner_left() -> None:
    toy = Toy.objects.create(state=State.RUNNING)  # and then its planner was gone
    take_up(toy)
    toy.refresh_from_db()
    assert toy.planned_at is None, "it may still be at it"
    age(toy)
    for _ in range(2):
        take_up(toy)
    assert_finished(toy)


def test_the_sweep_finishes_what_a_dead_worker_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = planned(1)
    with monkeypatch.context() as patch:
        patch.setattr("reports.jobs.working._complete", lambda *_job, **_how: None)
        do(claim(toy))
    age(toy)
    for _ in range(2):
        sweep()
    assert_finished(toy)


@commits
def test_a_job_that_is_slow_to_fail_keeps_no_sweep_from_parts_of_the_dead(
    toys: ToyJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, other = planned(1), planned(1)
    for toy in (slow, other):
        assert claim(toy) is not None
        age(toy)
    slow.parts.update(finished_at=timezone.now())
    expire_leases()
    clock = SimpleNamespace(now=0.0)

    def fail_slowly(_toy: Toy) -> None:
        clock.now += 60
        raise RuntimeError("no end")

    monkeypatch.setattr("reports.jobs.working.time", SimpleNamespace(monotonic=lambda: clock.now))
    toys.before_finishing = fail_slowly
    sweep()
    assert not ToyPart.objects.filter(finished_at=None).exists()


def test_a_part_that_ends_every_worker_fails_the_job_in_the_end() -> None:
    toy = planned(1)
    for _ in range(MOST_LOST):
        assert claim(toy) is not None  # and the kernel ends the process
        expire_leases()
    sweep()
    toy.refresh_from_db()
    assert toy.state == State.FAILED
    assert "out of memory" in toy.failure


def test_a_part_that_another_worker_holds_is_waited_for_not_spun_on(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = planned()
    held = claim(toy)
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            do(held)

    monkeypatch.setattr("reports.jobs.working.time.sleep", sleep)
    finish_inline(toy)
    assert_finished(toy)
    assert len(slept) == 3


# --- Leases ---


@pytest.fixture
def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LEASE", SHORT)


@commits
@pytest.mark.usefixtures("short_leases")
def test_a_part_that_takes_longer_than_a_lease_is_done_once(toys: ToyJobs) -> None:
    claims: list[object] = []

    def wait(part: ToyPart) -> None:
        threading.Event().wait(1.5 * SHORT.total_seconds())
        claims.append(claim(part.toy))

    toy = planned(1)
    toys.before_part = wait
    do(claim(toy))
    assert claims == [None]
    assert list(toy.parts.exclude(finished_at=None).values_list("attempts", flat=True)) == [1]


@commits
@pytest.mark.parametrize("ahead", [timedelta(hours=1), timedelta(hours=-1)], ids=["ahead", "behind"])
def test_leases_and_delays_are_by_the_clock_of_the_database(ahead: timedelta) -> None:
    """A worker whose own is wrong neither takes what another is at, nor keeps its part longer than others do."""
    toy = planned(2)
    mine = claim(toy)
    with time_machine.travel(timezone.now() + ahead):
        theirs = claim(toy)
        assert theirs.pk != mine.pk
        assert claim(toy) is None
        abort(theirs, StorageUnavailable())
    assert timedelta() <= theirs.lease_expires_at - mine.lease_expires_at < timedelta(seconds=20)
    toy.refresh_from_db()
    assert toy.not_before is not None
    assert toy.not_before - timezone.now() < timedelta(minutes=1)


@commits
@pytest.mark.usefixtures("short_leases")
def test_a_lease_ends_with_the_work() -> None:
    toy = planned(1)
    part = claim(toy)
    before = threading.enumerate()
    with heartbeat(part):
        wait_for(lambda: ToyPart.objects.get().lease_expires_at != part.lease_expires_at)
    assert threading.enumerate() == before, "nothing is left that renews it"
    expire_leases()
    assert claim(toy) is not None


@commits
@pytest.mark.usefixtures("short_leases")
def test_a_lease_that_was_taken_over_is_not_renewed() -> None:
    part = claim(planned(1))
    others = timezone.now() + timedelta(days=1)
    with heartbeat(part):
        ToyPart.objects.update(lease_expires_at=others)
        threading.Event().wait(SHORT.total_seconds() / 2)  # it is renewed after a third
    assert ToyPart.objects.get().lease_expires_at == others


@commits
@pytest.mark.usefixtures("short_leases")
def test_a_worker_that_hangs_loses_its_part_after_the_longest_of_its_type(
    toys: ToyJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toys, "longest", SHORT)
    toy = planned(1)
    with heartbeat(claim(toy)):
        wait_for(lambda: claim(toy) is not None)


# --- Errors, retries, cancelling ---


@commits
@pytest.mark.parametrize("stage", ["planning", "part", "finishing"])
def test_each_stage_is_tried_three_times_and_a_retry_goes_on_from_there(toys: ToyJobs, stage: str) -> None:
    tried = []

    def fail(tried_with: object) -> None:
        tried.append(tried_with)
        raise KeyError("toys")

    setattr(toys, f"before_{stage}", fail)
    toy = finish_inline(Toy.objects.create(size=1))
    assert (toy.state, len(tried)) == (State.FAILED, 3)
    assert "KeyError" in toy.failure
    setattr(toys, f"before_{stage}", lambda _it: None)
    done = set(toy.parts.exclude(finished_at=None).values_list("pk", flat=True))
    retry(toy)
    assert_finished(finish_inline(toy))
    assert done <= set(toy.parts.filter(attempts=1).values_list("pk", flat=True))


@commits
def test_what_no_trying_helps_fails_at_once(toys: ToyJobs) -> None:
    tried = []

    def fail(toy: Toy) -> None:
        tried.append(toy)
        raise PermanentFailure("There are no batteries.")

    toys.before_finishing = fail
    toy = finish_inline(Toy.objects.create())
    assert (toy.state, toy.failure, len(tried)) == (State.FAILED, "There are no batteries.", 1)


def test_retry_leaves_a_job_alone_that_is_under_way(called: list[Job]) -> None:
    toy = planned(1)
    leased = claim(toy)
    retry(toy)
    part = ToyPart.objects.get()
    assert (part.attempts, part.lease_expires_at) == (1, leased.lease_expires_at)
    assert called == []


def test_a_cancelled_job_says_why_and_what_its_workers_still_do_is_not_kept(toys: ToyJobs) -> None:
    toy = planned()
    do(claim(toy))
    working = claim(toy)
    cancel([toy], "It is broken.")
    do(working)
    toy.refresh_from_db()
    assert (toy.state, toy.failure, toy.planned_at) == (State.FAILED, "It is broken.", None)
    assert not toy.parts.exists()
    work_on(toy)
    assert not toy.parts.exists()
    retry(toy)
    assert_finished(finish_inline(toy))


def test_a_cancelled_job_whose_parts_are_kept_goes_on_with_the_others(toys: ToyJobs) -> None:
    toy = planned()
    do(claim(toy))
    working = claim(toy)
    assert cancel([toy], "Enough.", keep_parts=True) == [toy]
    assert cancel([toy], "Again.", keep_parts=True) == []
    do(working)
    work_on(toy)
    toy.refresh_from_db()
    assert (toy.state, toy.failure, progress_of(toy).done) == (State.FAILED, "Enough.", 2)
    assert set(toy.parts.unfinished().values_list("attempts", flat=True)) == {0}
    retry(toy)
    assert_finished(finish_inline(toy))
