"""A run in a real worker process whose shards are in a bucket, which is away for a while."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from reports.collection.ingest import Refusal, UploadRefused
from reports.jobs import enqueue
from reports.jobs.tasks import sweep
from reports.jobs.working import begin
from reports.models import Batch, Histogram, Part, Run
from reports.runs import start_run
from tests.reports.small_fleet import days_ago, define, send
from tests.s3 import S3Server
from tests.workers import Workers, wait_for

pytestmark = [pytest.mark.server, pytest.mark.django_db(transaction=True)]


def finished(run: Run) -> bool:
    run.refresh_from_db()
    assert run.state != Run.State.FAILED, run.failure
    return run.state == Run.State.FINISHED


def test_a_run_waits_while_the_bucket_is_away_and_goes_on_when_it_is_back(s3: S3Server, workers: Workers) -> None:
    version = define()
    send(version, 400, day=days_ago(1))
    run = start_run(version, ring=False)
    begin(run)
    s3.stop()
    workers.start()
    enqueue(run)

    def waits() -> bool:
        assert not finished(run)
        return run.failing_since is not None

    wait_for(waits, timeout=60)
    assert "Waiting for the storage" in run.failure_in_words
    assert not Part.objects.exclude(attempts=0, errors=0).exists()
    ready = Client().get(reverse("readyz"))
    everything = dict.fromkeys(("database", "storage", "broker", "worker"), "ok")
    assert (ready.status_code, ready.json()) == (503, everything | {"storage": "does not answer"})
    with pytest.raises(UploadRefused) as refused:
        send(version, 400, day=days_ago(1), seed=1)
    assert (refused.value.refusal, refused.value.retry_after) == (Refusal.STORAGE_UNAVAILABLE, 60)
    assert Batch.objects.count() == 1
    s3.start()
    # Let the clock run on, to when it is tried again, and to the next sweep.
    Run.objects.update(not_before=timezone.now(), created_at=timezone.now() - timedelta(minutes=5))
    sweep.delay()
    wait_for(lambda: finished(run), timeout=60)
    assert (run.failing_since, run.failure) == (None, "")
    assert Histogram.objects.get().n == 400
    assert not Part.objects.exclude(attempts=1, errors=0).exists()
    send(version, 400, seed=1)
    assert Batch.objects.count() == 2
