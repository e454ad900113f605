"""How long runs took, stage by stage: what owners and operators are told."""

import datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reports.models import Part, Run, Version
from reports.runs.timing import Timed, timed
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

START = datetime.datetime(2026, 3, 31, 12, tzinfo=datetime.UTC)


def at(seconds: float) -> datetime.datetime:
    return START + datetime.timedelta(seconds=seconds)


def make_run(version: Version, **fields: Any) -> Run:
    run = Run.objects.create(version=version, first_day=days_ago(1), last_day=days_ago(1), **fields)
    Run.objects.filter(pk=run.pk).update(created_at=START)
    return Run.objects.select_related("version").get(pk=run.pk)


def times(found: Timed) -> list[tuple[str, float, bool]]:
    return [(stage.label, stage.took.total_seconds(), stage.is_over) for stage in found.stages]


def of(run: Run) -> Timed:
    return timed([run])[run.pk]


def test_a_finished_run_tells_the_time_of_every_stage() -> None:
    run = make_run(define_words(), state="finished", started_at=at(2), planned_at=at(5), finished_at=at(60))
    for step, seconds in ((1, 7), (1, 9), (2, 30), (3, 31), (3, 40)):
        Part.objects.create(run=run, step=step, start_row=seconds, finished_at=at(seconds))
    found = of(run)
    assert times(found) == [
        ("waiting", 2, True),
        ("sealing days", 3, True),
        ("sketching days", 4, True),
        ("reading fragments", 21, True),
        ("joining words", 10, True),
        ("publishing", 20, True),
    ]
    assert found.took.total_seconds() == 60


def test_a_stage_without_parts_took_no_time() -> None:
    run = make_run(define(), state="finished", started_at=at(1), planned_at=at(2), finished_at=at(3))
    assert times(of(run))[2:] == [("reading out", 0, True), ("publishing", 1, True)]


def test_a_failed_run_ends_where_it_failed() -> None:
    run = make_run(define(), state="failed", started_at=at(1), planned_at=at(2), finished_at=at(9))
    Part.objects.create(run=run, start_row=0, finished_at=at(4))
    Part.objects.create(run=run, start_row=1)
    assert times(of(run)) == [("waiting", 1, True), ("sealing days", 1, True), ("reading out", 7, False)]


def test_an_unfinished_run_tells_who_is_at_it() -> None:
    run = make_run(define(), state="running", started_at=at(1), planned_at=at(2))
    now = timezone.now()
    minute = datetime.timedelta(minutes=1)
    Part.objects.create(run=run, start_row=0, finished_at=at(4), lease_expires_at=now + minute)
    Part.objects.create(run=run, start_row=1, lease_expires_at=now + minute)
    Part.objects.create(run=run, start_row=2, lease_expires_at=now - minute)  # of a worker that is gone
    Part.objects.create(run=run, start_row=3)
    found = of(run)
    assert (found.held, found.progress.done, found.progress.total) == (1, 1, 4)
    assert [(label, over) for label, _took, over in times(found)][2:] == [("reading out", False)]
    assert found.took >= now - START


def test_times_never_run_backwards() -> None:
    """After a retry parts may be older than the plan, and clocks of machines differ."""
    run = make_run(define(), state="finished", started_at=at(50), planned_at=at(40), finished_at=at(45))
    Part.objects.create(run=run, start_row=0, finished_at=at(30))
    assert [took for _label, took, _over in times(of(run))] == [50, 0, 0, 0]


def test_a_real_run_adds_up() -> None:
    version = define()
    send(version, 150, day=days_ago(1))
    run = Run.objects.select_related("version").get(pk=aggregate(version).pk)
    found = of(run)
    assert [stage.label for stage in found.stages] == ["waiting", "sealing days", "reading out", "publishing"]
    assert sum((stage.took for stage in found.stages), datetime.timedelta()) == found.took


def test_one_query_for_any_number_of_runs() -> None:
    version = define()
    for seconds in range(5):
        Part.objects.create(run=make_run(version, state="running", started_at=at(seconds)))
    runs = list(Run.objects.select_related("version"))
    with CaptureQueriesContext(connection) as queries:
        found = timed(runs)
    assert len(queries) == 1
    assert list(found) == [run.pk for run in runs]
