"""Runs in real worker processes on the configured broker, some of which are killed."""

import os
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from reports.models import Histogram, Part, ReadOut, Run, Shard
from reports.runs import cutting, planning, start_run
from reports.runs.enqueue import dispatch
from reports.runs.tasks import plan_run, work_on_part
from tests.reports.factories import shard_folder
from tests.reports.small_fleet import (
    FRUITS,
    LOCALES,
    WORDS,
    aggregate,
    days_ago,
    define,
    define_words,
    estimates,
    forget_results,
    send,
    send_words,
)
from tests.workers import Workers, wait_for

pytestmark = [pytest.mark.server, pytest.mark.django_db(transaction=True)]

PARTS = 4


@pytest.fixture(autouse=True)
def several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "LOOK_UPS_PER_PART", 120 * len(FRUITS))


def finished(run: Run) -> bool:
    run.refresh_from_db()
    assert run.state != Run.State.FAILED, run.failure
    return run.state == Run.State.FINISHED


@pytest.mark.broker
def test_every_message_twice_and_two_workers_publish_once(workers: Workers) -> None:
    version = define()
    send(version, 400)
    run = start_run(version, ring=False)
    planning.plan(run.pk)
    part_ids = list(Part.objects.values_list("pk", flat=True))
    for _ in range(2):
        plan_run.delay(str(run.pk))
        for part_id in part_ids:
            work_on_part.delay(part_id)
    workers.start()
    workers.start()
    wait_for(lambda: finished(run), timeout=30)
    time.sleep(1)  # the second deliveries
    assert Histogram.objects.get().n == 400
    assert len(part_ids) == PARTS
    assert not Part.objects.exclude(attempts=1).exists()


@pytest.mark.broker
def test_a_worker_killed_in_the_middle_of_a_part_costs_time_only(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = define()
    for locale in LOCALES:
        send(version, 400, locale=locale)
    monkeypatch.setattr(cutting, "SHARDS_PER_PART", 1)
    run = start_run(version, ring=False)
    planning.plan(run.pk)
    assert Part.objects.count() == PARTS * len(LOCALES)
    # Pipes in the place of the shards hold the worker in the middle of its part: opening one waits for a writer.
    folder = shard_folder()
    shards = [folder / shard.file_name for shard in Shard.objects.all()]
    saved = [shard.rename(shard.with_suffix(".saved")) for shard in shards]
    for shard in shards:
        os.mkfifo(shard)
    dispatch(run)
    victim = workers.start()
    leased = Part.objects.filter(lease_expires_at__isnull=False)
    wait_for(leased.exists)
    workers.kill(victim)
    for file, shard in zip(saved, shards, strict=True):
        file.replace(shard)
    assert not Part.objects.exclude(finished_at=None).exists()
    # Let the clock run on: leases are over, and the run has been waiting for long.
    Part.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    workers.start(beat=True)
    wait_for(lambda: finished(run), timeout=60)
    disturbed = published()
    assert [n for n, _shown in disturbed.values()] == [400] * len(LOCALES)
    assert Part.objects.filter(attempts__gt=1).exists()
    # The numbers are those of a run that nobody disturbed.
    forget_results()
    aggregate(version)
    assert published() == disturbed


def test_two_workers_find_words_step_by_step(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every message twice: none of them is about what is not ready yet, or was done before."""
    monkeypatch.setattr(cutting, "FRAGMENT_LOOK_UPS_PER_PART", 1 << 19)
    version = define_words()
    for locale in LOCALES:
        send_words(version, 2000, locale=locale, day=days_ago(1))
    run = start_run(version, ring=False)
    planning.plan(run.pk)
    for _ in range(2):
        plan_run.delay(str(run.pk))
        for part_id in run.parts.values_list("pk", flat=True):
            work_on_part.delay(part_id)
    workers.start()
    workers.start()
    wait_for(lambda: finished(run), timeout=60)
    time.sleep(1)  # the second deliveries
    assert not Part.objects.exclude(attempts=1).exists()
    assert ReadOut.objects.count() == len(LOCALES)
    found = published()
    assert {locale: set(shown) for locale, (_n, shown) in found.items()} == {
        locale: {word.ljust(4, "_") for word in words} for locale, words in WORDS.items()
    }
    # The numbers are those of a run in this process.
    forget_results()
    aggregate(version)
    assert published() == found


@pytest.mark.broker
def test_a_worker_that_had_nothing_left_to_do_is_called_to_the_next_step(workers: Workers) -> None:
    """Messages are sent for the first step only, as a run that was ordered sends them; the rest follows of itself."""
    version = define_words()
    send_words(version, 2000, day=days_ago(1))
    workers.start()
    run = start_run(version)
    wait_for(lambda: finished(run), timeout=30)
    assert list(run.parts.values_list("step", flat=True)) == [Part.Step.SKETCH, Part.Step.FRAGMENTS, Part.Step.WORDS]
    assert Histogram.objects.get().n == 2000


def test_a_worker_killed_while_it_sketches_costs_time_only(workers: Workers) -> None:
    version = define_words()
    for locale in LOCALES:
        send_words(version, 2000, locale=locale)
    run = start_run(version, ring=False)
    planning.plan(run.pk)
    # A pipe in the place of a shard holds the worker in the middle of its part.
    folder = shard_folder()
    shards = [folder / shard.file_name for shard in Shard.objects.all()]
    saved = [shard.rename(shard.with_suffix(".saved")) for shard in shards]
    for shard in shards:
        os.mkfifo(shard)
    dispatch(run)
    victim = workers.start()
    wait_for(Part.objects.filter(lease_expires_at__isnull=False).exists)
    workers.kill(victim)
    for file, shard in zip(saved, shards, strict=True):
        file.replace(shard)
    assert not ReadOut.objects.exists()
    Part.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    workers.start(beat=True)
    wait_for(lambda: finished(run), timeout=60)
    assert Part.objects.filter(attempts__gt=1).exists()
    assert {locale: n for locale, (n, _shown) in published().items()} == dict.fromkeys(LOCALES, 2000)


def published() -> dict[str, tuple[int, dict[str, float]]]:
    return {found.locale: (found.n, estimates(found)) for found in Histogram.objects.all()}
