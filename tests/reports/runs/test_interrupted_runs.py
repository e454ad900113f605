"""Results that come late, missing files, failures: a run is done once, or fails in words."""

from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from reports.jobs import finish_inline, retry
from reports.models import Histogram, Part, PendingFile, Run, Shard
from reports.runs import start_run
from reports.runs.commit import commit_result
from reports.runs.steps import Result
from tests.reports.factories import shard_folder, stored_files
from tests.reports.runs.failing import assert_nothing_half_done
from tests.reports.runs.stepwise import begin, claim, work_on
from tests.reports.small_fleet import FRUITS, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


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
    begin(run.pk)
    assert list(Histogram.objects.values()) == published
    assert len(stored_files()) == 2
    assert not PendingFile.objects.exists()


def test_a_missing_file_fails_the_run_in_plain_words_and_retry_mends_it() -> None:
    version = define()
    send(version, 200)
    run = start_run(version, ring=False)
    begin(run.pk)
    shard = Shard.objects.get()
    path = shard_folder() / shard.file_name
    hidden = path.rename(path.with_suffix(".gone"))
    run = finish_inline(run)
    assert run.state == Run.State.FAILED
    assert "missing from the storage" in run.failure
    assert not Histogram.objects.exists()
    hidden.rename(path)
    retry(run)
    assert finish_inline(run).state == Run.State.FINISHED
    assert Histogram.objects.get().n == 200


def test_a_failure_while_publishing_leaves_nothing_half_done(monkeypatch: pytest.MonkeyPatch) -> None:
    version = define()
    send(version, 200)

    def fail(*_arguments: object) -> None:
        raise KeyError("reports")

    assert_nothing_half_done(version, monkeypatch, "cut", fail, "KeyError")
