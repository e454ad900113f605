"""Failed runs, and workers that come too late, leave nothing once another has finished."""

from datetime import timedelta
from typing import Any

import pytest

from reports.jobs import finish_inline, retry
from reports.models import Histogram, Part, PendingFile, ReadOut, Run, Shard
from reports.runs import start_run
from reports.runs.part_results import commit_result
from reports.runs.run_jobs import result_of
from reports.storage import open_array
from tests.reports.factories import shard_folder, stored_files
from tests.reports.runs.stepwise import begin, claim, work_on
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send, send_words
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def fail(*_arguments: Any) -> Any:
    raise KeyError("reports")


def owned() -> set[str]:
    return {*Shard.objects.values_list("file_name", flat=True), *ReadOut.objects.values_list("file_name", flat=True)}


@once
def failed_run(kind: str) -> Run:
    """A run all of whose parts are done and that could not be published."""
    version = define_words() if kind == "words" else define()
    for day in (2, 1):
        (send_words if kind == "words" else send)(version, 300, day=days_ago(day), seed=day)
    with pytest.MonkeyPatch.context() as context:
        place = "discovery_runs.publish_words" if kind == "words" else "counting_runs.cut"
        context.setattr(f"reports.runs.{place}", fail)
        run = finish_inline(start_run(version, days_ago(2), days_ago(1), ring=False))
    assert run.state == Run.State.FAILED
    assert run.parts.exclude(file_name="").exists()
    return run


@pytest.fixture(params=["words", "dictionary"])
def failed(request: pytest.FixtureRequest, transactional_db: None) -> Run:
    return failed_run(request.param)


def test_a_run_that_finishes_takes_with_it_what_older_ones_left(failed: Run) -> None:
    aggregate(failed.version, days_ago(1))
    failed.refresh_from_db()
    assert (failed.state, failed.planned_at) == (Run.State.FAILED, None)
    assert not failed.parts.exists()
    assert stored_files().keys() == owned()
    assert not PendingFile.objects.exists()
    # A retry plans anew.
    retry(failed)
    assert finish_inline(failed).state == Run.State.FINISHED
    assert failed.version.histograms.filter(first_day=days_ago(2), last_day=days_ago(1), n=600).exists()


def test_a_run_that_failed_later_is_kept_for_its_retry(failed: Run) -> None:
    parts = set(failed.parts.values_list("pk", flat=True))
    older = start_run(failed.version, days_ago(1), days_ago(1), ring=False)
    Run.objects.filter(pk=older.pk).update(created_at=failed.created_at - timedelta(minutes=1))
    assert finish_inline(older).state == Run.State.FINISHED
    assert set(Part.objects.filter(run=failed).values_list("pk", flat=True)) == parts
    assert stored_files().keys() > owned()


def test_runs_of_other_versions_and_unfinished_ones_are_left_alone(failed: Run) -> None:
    Run.objects.update(state=Run.State.RUNNING)
    if failed.revision is None:
        other = define_words(slug="others", parameters=failed.version.parameters | {"seed": "0d" * 16})
        send_words(other, 300)
    else:
        other = define(slug="others", parameters=failed.version.parameters | {"seed": "0d" * 16})
        send(other, 300)
    kept = failed.parts.count()
    aggregate(other)
    aggregate(failed.version, days_ago(1))
    Run.objects.filter(pk=failed.pk).update(state=Run.State.FAILED)
    aggregate(other)
    assert failed.parts.count() == kept
    assert all(len(open_array(part.file_name)) for part in failed.parts.exclude(file_name=""))


def test_a_worker_still_at_a_part_of_it_hands_in_nothing() -> None:
    version = define_words()
    send_words(version, 300, day=days_ago(1))
    run = start_run(version, ring=False)
    for part_id in begin(run.pk):
        work_on(part_id)
    slow = claim(run.parts.get(step=Part.Step.FRAGMENTS).pk)
    assert slow is not None
    Run.objects.update(state=Run.State.FAILED)
    aggregate(version)
    commit_result(slow, result_of(slow))
    assert stored_files().keys() == owned()
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
