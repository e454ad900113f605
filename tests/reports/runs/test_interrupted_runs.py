"""Lost and doubled messages, workers that die or meet, missing files: a run is done once, or fails in words."""

import uuid
from datetime import timedelta
from types import SimpleNamespace

import numpy as np
import pytest
from django.utils import timezone

from reports.models import Histogram, Part, PendingFile, Run, Shard, Version
from reports.runs import (
    cutting,
    finish_inline,
    progress_of,
    retry,
    start_run,
    sweep,
    take_up_expired,
    work_on,
)
from reports.runs.commit import commit_result
from reports.runs.parts import MOST_LOST, begin, claim, complete
from reports.runs.steps import Result
from tests.reports.factories import shard_folder, stored_files
from tests.reports.runs.failing import assert_nothing_half_done
from tests.reports.small_fleet import FRUITS, define, send
from tests.reports.threads import together

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def test_a_part_delivered_twice_is_done_once() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    work_on(part_id)
    work_on(part_id)
    assert Run.objects.get().state == Run.State.FINISHED
    assert Part.objects.get().attempts == 1
    assert Histogram.objects.get().n == 200


def test_a_leased_part_is_left_alone_until_its_lease_expires() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    assert claim(part_id) is not None  # a worker that is about to die
    work_on(part_id)
    sweep()
    assert progress_of(Run.objects.get()).done == 0
    Part.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    sweep()
    assert Run.objects.get().state == Run.State.FINISHED
    assert Part.objects.get().attempts == 2


def test_a_worker_that_comes_back_late_hands_in_nothing() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    late = claim(part_id)
    assert late is not None
    Part.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    work_on(part_id)
    published = list(Histogram.objects.values())
    commit_result(late, Result(np.full((1, len(FRUITS)), 10**6)))
    complete(run.pk)
    assert list(Histogram.objects.values()) == published
    assert len(stored_files()) == 2
    assert not PendingFile.objects.exists()


def test_the_sweep_finds_a_run_whose_message_was_lost() -> None:
    version = define()
    send(version, 200)
    start_run(version, ring=False)
    sweep()
    assert Run.objects.get().state == Run.State.WAITING  # it may still be on its way
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    sweep()
    assert Run.objects.get().state == Run.State.FINISHED


def test_the_sweep_publishes_what_a_dead_worker_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    with monkeypatch.context() as context:
        context.setattr("reports.runs.parts.complete", lambda *_run, **_how: None)
        work_on(part_id)
    assert not Histogram.objects.exists()
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    sweep()
    assert Histogram.objects.get().n == 200


def test_a_run_that_is_slow_to_fail_keeps_no_sweep_from_parts_of_the_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    for slug in ("fruits", "trees"):
        send(define(slug=slug), 200)
    slow, other = (start_run(version, ring=False) for version in Version.objects.order_by("pk"))
    for run in (slow, other):
        (part_id,) = begin(run.pk)
        assert claim(part_id) is not None
    Part.objects.filter(run=slow).update(finished_at=timezone.now())
    Part.objects.filter(run=other).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    clock = SimpleNamespace(now=0.0)

    def publish(run_id: uuid.UUID, *, wait: bool = False) -> None:
        clock.now += 60
        raise RuntimeError("no publication")

    monkeypatch.setattr("reports.runs.parts.time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr("reports.runs.parts.publish_if_complete", publish)
    sweep()
    assert not Part.objects.filter(finished_at=None).exists()


def test_a_missing_file_fails_the_run_in_plain_words_and_retry_mends_it() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    begin(run.pk)
    shard = Shard.objects.get()
    path = shard_folder() / shard.file_name
    hidden = path.rename(path.with_suffix(".gone"))
    run = finish_inline(run.pk, lambda _progress: None)
    assert run.state == Run.State.FAILED
    assert "missing from the storage" in run.failure
    assert not Histogram.objects.exists()
    hidden.rename(path)
    retry(run)
    assert finish_inline(run.pk, lambda _progress: None).state == Run.State.FINISHED
    assert Histogram.objects.get().n == 200


def test_a_failure_while_publishing_leaves_nothing_half_done(monkeypatch: pytest.MonkeyPatch) -> None:
    version = define()
    send(version, 200)

    def fail(*_arguments: object) -> None:
        raise KeyError("reports")

    assert_nothing_half_done(version, monkeypatch, "cut", fail, "KeyError")


def test_a_part_that_ends_every_worker_fails_the_run_in_the_end() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    for _ in range(MOST_LOST):
        assert claim(part_id) is not None  # and the kernel ends the process
        Part.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    sweep()
    failed = Run.objects.get()
    assert failed.state == Run.State.FAILED
    assert "out of memory" in failed.failure


def test_of_several_that_claim_a_part_at_once_one_gets_it() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    claimed = together(6, lambda: claim(part_id))
    assert sum(part is not None for part in claimed) == 1
    assert Part.objects.get().attempts == 1


def test_several_that_take_up_a_run_at_once_finish_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "LOOK_UPS_PER_PART", 60 * len(FRUITS))
    version = define()
    for locale in ("en_US", "fr_FR"):
        send(version, 150, locale=locale)
        send(version, 150, locale=locale)
    run = start_run(version, ring=False)
    done = together(3, lambda: finish_inline(run.pk, lambda _progress: None).state)
    assert done == [Run.State.FINISHED] * 3
    assert {h.locale: h.n for h in Histogram.objects.all()} == {"en_US": 300, "fr_FR": 300}
    assert not Part.objects.exclude(attempts=1).exists()
    assert not PendingFile.objects.exists()


def test_retry_leaves_a_run_alone_that_is_under_way() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    (part_id,) = begin(run.pk)
    leased = claim(part_id)
    assert leased is not None
    retry(run)
    part = Part.objects.get()
    assert (part.attempts, part.lease_expires_at) == (1, leased.lease_expires_at)


def test_whoever_waits_for_a_run_takes_up_what_a_dead_planner_left() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    Run.objects.update(state=Run.State.RUNNING)  # and then its planner was gone
    take_up_expired(run.pk)
    assert Run.objects.get().planned_at is None  # it may still be at it
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    take_up_expired(run.pk)
    assert Run.objects.get().state == Run.State.FINISHED
