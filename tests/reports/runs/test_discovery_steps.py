"""The steps of a run that finds words: their order, whatever workers do and whichever of them die."""

from datetime import timedelta
from typing import Any
from unittest import mock

import numpy as np
import pytest
from django.utils import timezone

from reports.jobs import finish_inline, retry
from reports.jobs.failing import MOST_ERRORS
from reports.jobs.working import sweep
from reports.models import Discovery, Histogram, Part, PendingFile, ReadOut, Run, Shard, Version
from reports.runs import part_ranges, start_run
from reports.runs.discovery_steps import sketch_sealing
from reports.runs.part_results import commit_result
from reports.runs.run_jobs import result_of
from tests.reports.buckets import Bucket
from tests.reports.factories import left_in_spool, stored_files
from tests.reports.runs.stepwise import begin, claim, work_on
from tests.reports.small_fleet import LOCALES, aggregate, days_ago, define_words, estimates, forget_results, send_words
from tests.reports.threads import together
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db]
# Where several work at once, where a failure ends the connection, and where files go once it is committed.
commits = pytest.mark.django_db(transaction=True)

Step = Part.Step
STEPS = (Step.SKETCH, Step.FRAGMENTS, Step.WORDS)


@once
def two_days() -> Version:
    version = define_words()
    for locale in LOCALES:
        for day in (2, 1):
            send_words(version, 400, locale=locale, day=days_ago(day), seed=day)
    return version


@pytest.fixture
def version(monkeypatch: pytest.MonkeyPatch) -> Version:
    """Two days of two locales, and several ranges of rows for each locale."""
    monkeypatch.setattr(part_ranges, "FRAGMENT_LOOK_UPS_PER_PART", 3 << 18)
    return two_days()


def published() -> dict[str, tuple[int, dict[str, float], list[float]]]:
    found = Histogram.objects.all()
    return {each.locale: (each.n, estimates(each), each.discovery.cuts) for each in found}


_undisturbed: dict[str, tuple[int, dict[str, float], list[float]]] = {}


def undisturbed(version: Version) -> dict[str, tuple[int, dict[str, float], list[float]]]:
    """Return the finds of an undisturbed run: each time the same, as the reports are."""
    if not _undisturbed:
        forget_results()
        aggregate(version)
        _undisturbed.update(published())
    return _undisturbed


def of_step(run: Run, step: Step) -> list[int]:
    return list(run.parts.filter(step=step).order_by("pk").values_list("pk", flat=True))


def expire_leases() -> None:
    Part.objects.exclude(lease_expires_at=None).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def do_steps(run: Run, *steps: Step) -> None:
    for step in steps:
        for part_id in of_step(run, step):
            work_on(part_id)


def test_a_worker_killed_in_every_step_costs_time_only(version: Version) -> None:
    run = start_run(version, ring=False)
    begin(run.pk)
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    killed = []
    for step in STEPS:
        killed.append(of_step(run, step)[0])
        assert claim(killed[-1]) is not None  # and the worker is gone
        sweep()
        assert list(run.parts.filter(step=step, finished_at=None).values_list("pk", flat=True)) == killed[-1:]
        expire_leases()
        sweep()
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert dict(run.parts.values_list("pk", "attempts")) == {
        part_id: 2 if part_id in killed else 1 for step in STEPS for part_id in of_step(run, step)
    }
    assert published() == undisturbed(version)


def test_a_day_is_sketched_from_a_bucket_without_copies_of_its_raw_reports(version: Version) -> None:
    run = start_run(version, ring=False)
    part = Part.objects.get(pk=begin(run.pk)[0])
    expected, bucket = sketch_sealing(part), Bucket()
    assert expected is not None
    bucket.files = stored_files()
    with mock.patch("reports.storage.shard_storage", return_value=bucket):
        found = sketch_sealing(part)
    assert found is not None
    assert np.array_equal(found, expected)
    assert not left_in_spool()


@commits
def test_a_worker_that_comes_back_late_hands_in_nothing_in_any_step(version: Version) -> None:
    run = start_run(version, ring=False)
    begin(run.pk)
    for step in STEPS:
        late = claim(of_step(run, step)[0])
        assert late is not None
        result = result_of(late)
        expire_leases()
        work_on(late.pk)
        files = stored_files()
        commit_result(late, result)
        assert stored_files() == files
        assert not PendingFile.objects.exists()
        do_steps(run, step)
    assert Run.objects.get().state == Run.State.FINISHED
    assert published() == undisturbed(version)


@commits
def test_retry_goes_on_from_the_step_that_failed(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_run(version, ring=False)
    done: set[int] = set()
    for failing in STEPS:

        def fail(part: Part, failing: Step = failing) -> Any:
            if part.step == failing:
                raise KeyError("sketches")
            return result_of(part)

        with monkeypatch.context() as context:
            context.setattr("reports.runs.run_jobs.result_of", fail)
            run = finish_inline(run)
        assert (run.state, "KeyError" in run.failure) == (Run.State.FAILED, True)
        assert not Histogram.objects.exists()
        assert ReadOut.objects.count() == (0 if failing == Step.SKETCH else 4)
        done |= set(run.parts.exclude(finished_at=None).values_list("pk", flat=True))
        retry(run)
    kept = set(ReadOut.objects.values_list("file_name", flat=True))
    assert finish_inline(run).state == Run.State.FINISHED
    assert set(ReadOut.objects.values_list("file_name", flat=True)) == kept
    assert set(Part.objects.filter(attempts=1).values_list("pk", flat=True)) >= done
    assert published() == undisturbed(version)


@commits
def test_a_failure_while_publishing_leaves_nothing_half_done(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    """All locales are published, or none."""
    create, created = Discovery.objects.create, []

    def fail_later(**fields: Any) -> Discovery:
        created.append(fields["histogram"].locale)
        if len(created) % 2 == 0:
            raise KeyError("words")
        return create(**fields)

    with monkeypatch.context() as context:
        context.setattr(Discovery.objects, "create", fail_later)
        run = finish_inline(start_run(version, ring=False))
    assert (run.state, created) == (Run.State.FAILED, list(LOCALES) * MOST_ERRORS)
    assert not Histogram.objects.exists()
    assert run.parts.filter(step=Step.WORDS).exclude(file_name="").count() == 2
    retry(run)
    assert finish_inline(run).state == Run.State.FINISHED
    assert published() == undisturbed(version)


@commits
def test_two_runs_that_overlap_sketch_a_day_once_and_agree(version: Version) -> None:
    """Both were planned before either had sketched the day that is in both."""
    whole = start_run(version, ring=False)
    last = start_run(version, days_ago(1), ring=False)
    for run in (whole, last):
        begin(run.pk)
    assert [len(of_step(run, Step.SKETCH)) for run in (whole, last)] == [4, 4]
    runs = [whole, last]
    together(2, lambda: finish_inline(runs.pop()))
    assert ReadOut.objects.count() == 4
    assert {histogram.n for histogram in Histogram.objects.all()} <= {400, 800}
    assert Histogram.objects.filter(n=800).count() == 2
    owned = {*Shard.objects.values_list("file_name", flat=True), *ReadOut.objects.values_list("file_name", flat=True)}
    assert stored_files().keys() == owned
    assert not PendingFile.objects.exists()


@commits
def test_a_sketch_that_another_run_has_made_meanwhile_is_left_as_it_is(version: Version) -> None:
    """Both were at it at the same time: the second finds the first's when it hands in its own."""
    first, second = start_run(version, days_ago(1), ring=False), start_run(version, ring=False)
    for run in (first, second):
        begin(run.pk)
    slow = claim(of_step(first, Step.SKETCH)[0])
    assert slow is not None
    result = result_of(slow)
    assert result.array is not None
    assert finish_inline(second).state == Run.State.FINISHED
    files = stored_files()
    commit_result(slow, result)
    assert stored_files() == files
    (other,) = of_step(first, Step.SKETCH)[1:]
    skipped = claim(other)
    assert skipped is not None
    assert result_of(skipped).array is None, "made already"
    expire_leases()
    assert finish_inline(first).state == Run.State.FINISHED
    assert not PendingFile.objects.exists()


def test_candidates_are_in_no_table(version: Version) -> None:
    """Only words that pass are stored in the database: the others are in files, until the run is published."""
    run = start_run(version, ring=False)
    begin(run.pk)
    do_steps(run, Step.SKETCH, Step.FRAGMENTS)
    part = claim(of_step(run, Step.WORDS)[0])
    assert part is not None
    result = result_of(part)
    assert result.array is not None
    assert result.array.dtype.names == ("word", "counts")
    kinds = {type(value) for facts in result.facts.values() for value in np.ravel(facts).tolist()}
    assert kinds == {int, float, bool}
