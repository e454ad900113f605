"""What is left of runs that failed, once a later one of their version has finished: nothing but that they failed."""

from datetime import timedelta
from typing import Any

import pytest

from reports.jobs import finish_inline, retry
from reports.models import Part, PendingFile, ReadOut, Run, Shard, Version
from reports.runs import start_run
from reports.runs.commit import commit_result
from reports.runs.steps import result_of
from reports.storage import open_array
from tests.reports.factories import stored_files
from tests.reports.runs.stepwise import begin, claim, work_on
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def fail(*_arguments: Any) -> Any:
    raise KeyError("reports")


def failed_publication(monkeypatch: pytest.MonkeyPatch, version: Version, what: str) -> Run:
    """A run all of whose parts are done and that could not be published."""
    with monkeypatch.context() as context:
        context.setattr(f"reports.runs.publishing.{what}", fail)
        run = finish_inline(start_run(version, days_ago(2), days_ago(1), ring=False))
    assert run.state == Run.State.FAILED
    assert run.parts.exclude(file_name="").exists()
    return run


def owned() -> set[str]:
    return {*Shard.objects.values_list("file_name", flat=True), *ReadOut.objects.values_list("file_name", flat=True)}


@pytest.fixture(params=["words", "dictionary"])
def failed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Run:
    if request.param == "words":
        version = define_words()
        for day in (2, 1):
            send_words(version, 300, day=days_ago(day), seed=day)
        return failed_publication(monkeypatch, version, "publish_words")
    version = define()
    for day in (2, 1):
        send(version, 300, day=days_ago(day), seed=day)
    return failed_publication(monkeypatch, version, "cut")


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
