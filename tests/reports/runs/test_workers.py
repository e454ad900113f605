"""Runs in real worker processes on the configured broker, some of which are killed."""

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from reports.models import Histogram, Part, ReadOut, Run, Shard
from reports.runs import planning, start_run
from reports.runs.tasks import plan_run, work_on_part
from tests.reports.small_fleet import FRUITS, LOCALES, aggregate, days_ago, define, estimates, send
from tests.workers import Workers, wait_for

pytestmark = [pytest.mark.server, pytest.mark.django_db(transaction=True)]

PARTS = 4


@pytest.fixture(autouse=True)
def several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "LOOK_UPS_PER_PART", 120 * len(FRUITS))


def finished(run: Run) -> bool:
    run.refresh_from_db()
    assert run.state != Run.State.FAILED, run.failure
    return run.state == Run.State.FINISHED


def test_a_worker_finishes_a_run(workers: Workers) -> None:
    version = define()
    send(version, 400, day=days_ago(1))
    workers.start()
    run = start_run(version)
    wait_for(lambda: finished(run), timeout=30)
    assert Histogram.objects.get().n == 400


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


def test_a_worker_killed_in_the_middle_of_a_part_costs_time_only(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = define()
    for locale in LOCALES:
        send(version, 400, locale=locale)
    monkeypatch.setattr(planning, "SHARDS_PER_PART", 1)
    run = start_run(version, ring=False)
    planning.plan(run.pk)
    assert Part.objects.count() == PARTS * len(LOCALES)
    # Pipes in the place of the shards hold the worker in the middle of its part: opening one waits for a writer.
    folder = Path(settings.STORAGES["shards"]["OPTIONS"]["location"])
    shards = [folder / shard.file_name for shard in Shard.objects.all()]
    saved = [shard.rename(shard.with_suffix(".saved")) for shard in shards]
    for shard in shards:
        os.mkfifo(shard)
    planning.dispatch(run)
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
    Histogram.objects.all().delete()
    ReadOut.objects.all().delete()
    aggregate(version)
    assert published() == disturbed


def published() -> dict[str, tuple[int, dict[str, float]]]:
    return {found.locale: (found.n, estimates(found)) for found in Histogram.objects.all()}
