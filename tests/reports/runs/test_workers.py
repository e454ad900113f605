"""Runs in real worker processes on the configured broker, some of which are killed."""

import io
import json
import os
import time
from datetime import date, timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from reports.jobs import enqueue
from reports.jobs.working import begin
from reports.models import Histogram, Part, Run, Shard
from reports.runs import part_ranges, start_run
from tests.reports.factories import left_in_spool, shard_folder
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
from tests.s3 import S3Server
from tests.workers import Workers, wait_for

pytestmark = [pytest.mark.server, pytest.mark.django_db(transaction=True)]

PARTS, DAYS = 4, 3


@pytest.fixture(autouse=True)
def several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_ranges, "LOOK_UPS_PER_PART", 120 * len(FRUITS))


def finished(run: Run) -> bool:
    run.refresh_from_db()
    assert run.state != Run.State.FAILED, run.failure
    return run.state == Run.State.FINISHED


@pytest.mark.broker
def test_a_worker_killed_in_the_middle_of_a_part_costs_time_only(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting, searching = define(), define_words()
    for locale in LOCALES:
        send(counting, 400, locale=locale)
        send_words(searching, 2000, locale=locale)
    monkeypatch.setattr(part_ranges, "SHARDS_PER_PART", 1)
    runs = [start_run(version, ring=False) for version in (counting, searching)]
    for run in runs:
        begin(run)
    assert [run.parts.count() for run in runs] == [PARTS * len(LOCALES), len(LOCALES)]
    # Pipes in the place of the shards hold the workers in the middle of their parts: opening one waits for a writer.
    folder = shard_folder()
    shards = [folder / shard.file_name for shard in Shard.objects.all()]
    saved = [shard.rename(shard.with_suffix(".saved")) for shard in shards]
    for shard in shards:
        os.mkfifo(shard)
    for run in runs:
        enqueue(run)
    victim = workers.start(concurrency=4)
    leased = Part.objects.filter(lease_expires_at__isnull=False)
    wait_for(lambda: leased.order_by().values("run").distinct().count() == 2)
    workers.kill(victim)
    for file, shard in zip(saved, shards, strict=True):
        file.replace(shard)
    assert not Part.objects.exclude(finished_at=None).exists()
    # Let the clock run on: leases are over, and the runs have been waiting for long.
    Part.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=5))
    workers.start(beat=True)
    wait_for(lambda: all(map(finished, runs)), timeout=60)
    assert all(run.parts.filter(attempts__gt=1).exists() for run in runs)
    # The numbers are those of undisturbed runs.
    disturbed = published()
    assert sorted(n for n, _shown in disturbed.values()) == [400, 400, 2000, 2000]
    forget_results()
    for version in (counting, searching):
        aggregate(version)
    assert published() == disturbed


@pytest.mark.broker
def test_two_workers_publish_once_after_one_message_or_many_from_a_bucket(
    s3: S3Server, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A count with every message twice, and a search for words, step by step, with a single message at first.

    Each worker copies what it needs into the folder that both prune, of many small files, several at a time.
    """
    monkeypatch.setattr(part_ranges, "SHARDS_PER_PART", 1)
    counting, searching = define(), define_words()
    for locale in LOCALES:
        for day in range(1, DAYS + 1):
            send(counting, 200, locale=locale, day=days_ago(day), seed=day)
        send_words(searching, 2000, locale=locale, day=days_ago(1))
    counted = start_run(counting, ring=False)
    begin(counted)
    for _ in range(2):
        enqueue(counted)
    workers.start()
    workers.start()
    found = start_run(searching)
    wait_for(lambda: all(map(finished, (counted, found))), timeout=60)
    time.sleep(1)  # the second deliveries
    # A shard of half as many reports has half as many parts.
    assert list(counted.parts.values_list("attempts", "errors")) == [(1, 0)] * (PARTS // 2) * DAYS * len(LOCALES)
    assert list(found.parts.values_list("step", "attempts")) == [(step, 1) for step in found.steps for _ in LOCALES]
    # Support counts are copied whole, and results of some parts; of shards only ranges are fetched.
    assert len([name for name in left_in_spool() if name.endswith(".npy")]) >= DAYS * len(LOCALES)
    assert "FileNotFoundError" not in workers.log()
    disturbed = published()
    for locale, words in WORDS.items():
        (of_words,) = (shown for key, (_n, shown) in disturbed.items() if key[:2] == ("words", locale))
        assert set(of_words) == {word.ljust(4, "_") for word in words}
        days = [days_ago(day) for day in range(1, DAYS + 1)]
        assert {("fruits", locale, day, day) for day in days} < disturbed.keys()
    # The numbers are those of runs in this process.
    forget_results()
    for version in (counting, searching):
        aggregate(version)
    assert published() == disturbed
    # The command waits for a worker.
    send(counting, 150)
    out = io.StringIO()
    call_command("aggregate", "fruits", stdout=out)
    assert json.loads(out.getvalue())["state"] == "finished"
    assert published()["fruits", "en_US", days_ago(0), days_ago(0)][0] == 150


def published() -> dict[tuple[str, str, date, date], tuple[int, dict[str, float]]]:
    return {
        (each.version.use_case.slug, each.locale, each.first_day, each.last_day): (each.n, estimates(each))
        for each in Histogram.objects.select_related("version__use_case")
    }
