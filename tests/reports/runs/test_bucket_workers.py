"""Runs in real worker processes whose shards are in a bucket, which is away for a while."""

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
from reports.runs import cutting, start_run
from tests.reports.factories import left_in_spool
from tests.reports.small_fleet import FRUITS, LOCALES, aggregate, days_ago, define, estimates, forget_results, send
from tests.s3 import S3Server
from tests.workers import Workers, wait_for

pytestmark = [pytest.mark.server, pytest.mark.django_db(transaction=True)]

DAYS = 3


def finished(run: Run) -> bool:
    run.refresh_from_db()
    assert run.state != Run.State.FAILED, run.failure
    return run.state == Run.State.FINISHED


def counted() -> dict[tuple[str, str, str], tuple[int, dict[str, float]]]:
    return {
        (found.locale, str(found.first_day), str(found.last_day)): (found.n, estimates(found))
        for found in Histogram.objects.all()
    }


def test_two_workers_of_a_host_share_copies_from_a_bucket(
    s3: S3Server, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each copies what it needs into the folder that both prune, of many small files, several at a time."""
    monkeypatch.setattr(cutting, "SHARDS_PER_PART", 1)
    monkeypatch.setattr(cutting, "LOOK_UPS_PER_PART", 60 * len(FRUITS))
    version = define()
    for day in range(1, DAYS + 1):
        for locale in LOCALES:
            send(version, 200, locale=locale, day=days_ago(day), seed=day)
    workers.start()
    workers.start()
    run = start_run(version)
    wait_for(lambda: finished(run), timeout=120)
    # Support counts are copied whole, and results of some parts; of shards only ranges are fetched.
    assert len([name for name in left_in_spool() if name.endswith(".npy")]) >= DAYS * len(LOCALES)
    assert not Part.objects.exclude(attempts=1, errors=0).exists()
    assert "FileNotFoundError" not in workers.log()
    # The numbers are those of a run in this process.
    published = counted()
    days = [str(days_ago(day)) for day in range(1, DAYS + 1)]
    assert {(locale, day, day) for locale in LOCALES for day in days} < set(published)
    forget_results()
    aggregate(version)
    assert counted() == published


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
