"""Progress of jobs, stage by stage, and how long that took, for owners and operators."""

import datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reports.jobs import Progress, finish_inline, progress_by_job, progress_of
from reports.jobs.working import begin
from tests.models import Toy, ToyPart

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

START = datetime.datetime(2026, 3, 31, 12, tzinfo=datetime.UTC)
SECOND, MINUTE = datetime.timedelta(seconds=1), datetime.timedelta(minutes=1)


def at(seconds: float) -> datetime.datetime:
    return START + datetime.timedelta(seconds=seconds)


def make(state: str, *parts: tuple[int, float | None], **times: float) -> Toy:
    """Make a job of these times, and of parts of such steps that were done then."""
    toy = Toy.objects.create(state=state, **{f"{name}_at": at(time) for name, time in times.items()})
    Toy.objects.filter(pk=toy.pk).update(created_at=START)
    for step, done in parts:
        ToyPart.objects.create(toy=toy, step=step, finished_at=None if done is None else at(done))
    return Toy.objects.get(pk=toy.pk)


def times(found: Progress) -> list[tuple[str, float, bool]]:
    return [(stage.label, stage.took.total_seconds(), stage.is_over) for stage in found.begun]


@pytest.mark.parametrize(
    ("toy", "expected"),
    [
        (
            {"parts": [(0, 7), (0, 9), (1, 30)], "started": 2, "planned": 5, "finished": 60},
            [2, 3, 4, 21, 30],
        ),
        # In a stage without parts there was nothing to do.
        ({"parts": [], "started": 1, "planned": 2, "finished": 3}, [1, 1, 0, 0, 1]),
        # After a retry parts may be older than the plan, and clocks of machines differ.
        ({"parts": [(0, 30)], "started": 50, "planned": 40, "finished": 45}, [50, 0, 0, 0, 0]),
    ],
)
def test_a_finished_job_tells_the_time_of_every_stage(toy: dict[str, Any], expected: list[float]) -> None:
    found = progress_of(make("finished", *toy.pop("parts"), **toy))
    labels = ["waiting", "unpacking", "squaring", "adding up", "tidying up"]
    assert times(found) == [(label, took, True) for label, took in zip(labels, expected, strict=True)]
    assert (found.stage, found.percent, found.took) == ("finished", 100, datetime.timedelta(seconds=toy["finished"]))


def test_a_failed_job_ends_where_it_failed() -> None:
    found = progress_of(make("failed", (0, 4), (0, None), started=1, planned=2, finished=9))
    assert times(found) == [("waiting", 1, True), ("unpacking", 1, True), ("squaring", 7, False)]


def test_an_unfinished_job_tells_how_many_workers_are_at_it() -> None:
    toy = make("running", (0, 4), (0, None), (0, None), (0, None), started=1, planned=2)
    now = timezone.now()
    leases = [now + MINUTE, now + MINUTE, now - MINUTE, None]  # the third is of a worker that is gone
    for part, lease in zip(toy.parts.order_by("pk"), leases, strict=True):
        part.lease_expires_at = lease
        part.save()
    found = progress_of(toy)
    assert (found.held, found.done, found.total) == (1, 1, 4)
    assert times(found)[2:] == [("squaring", (found.took - 2 * SECOND).total_seconds(), False)]
    assert found.took >= now - START


def test_the_stage_is_named_all_the_way() -> None:
    toy = Toy.objects.create(size=1)
    seen = []

    def note(found: Progress) -> None:
        current = [stage.label for stage in found.stages if stage.is_current]
        assert current == ([] if found.stage in {"waiting", "finished"} else [found.stage])
        seen.append((found.stage, found.percent))

    note(progress_of(toy))
    begin(toy)
    finish_inline(toy, note)
    assert seen == [("waiting", 0), ("squaring", 0), ("adding up", 33), ("finished", 100)]
    toy = Toy.objects.get()
    took = progress_of(toy).begun
    assert sum((stage.took for stage in took), datetime.timedelta()) == progress_of(toy).took


def test_one_query_for_any_number_of_jobs() -> None:
    toys = [make("running", (0, None), started=seconds) for seconds in range(5)]
    with CaptureQueriesContext(connection) as queries:
        found = progress_by_job(toys)
    assert len(queries) == 1
    assert list(found) == [toy.pk for toy in toys]
    assert progress_by_job([]) == {}
