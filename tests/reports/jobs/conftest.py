"""A type of jobs that are no runs."""

from collections.abc import Callable, Iterator

import pytest

from reports.jobs import JobType, end, hand_in
from reports.jobs.job_types import JOB_TYPES
from reports.models import Job
from tests.models import Toy, ToyPart


class ToyJobs(JobType[Toy, ToyPart]):
    model = Toy

    def __init__(self) -> None:
        # Called with each part before it is done, and with each job before it is prepared and finished: for trouble.
        self.before_part: Callable[[ToyPart], object] = lambda _part: None
        self.before_planning: Callable[[Toy], object] = lambda _job: None
        self.before_finishing: Callable[[Toy], object] = lambda _job: None

    def prepare(self, job: Toy) -> None:
        self.before_planning(job)

    def cut(self, job: Toy) -> Iterator[ToyPart]:
        return (ToyPart(toy=job, number=number) for number in range(job.size))

    def do(self, part: ToyPart) -> None:
        self.before_part(part)
        if part.step == ToyPart.Step.SQUARE:
            hand_in(part, facts={"square": part.number**2})
        else:
            squares = part.toy.parts.filter(step=ToyPart.Step.SQUARE).values_list("facts__square", flat=True)
            Toy.objects.filter(pk=part.toy_id).update(total=sum(squares))
            hand_in(part)

    def finish(self, job: Toy) -> None:
        self.before_finishing(job)
        if job.size and not job.parts.filter(step=ToyPart.Step.SUM).exists():
            ToyPart.objects.create(toy=job, step=ToyPart.Step.SUM)
        else:
            end(job)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> ToyJobs:
    job_type = ToyJobs()
    monkeypatch.setitem(JOB_TYPES, "tests.toy", job_type)
    return job_type


@pytest.fixture(autouse=True)
def called(toys: ToyJobs, monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that workers were called to."""
    found: list[Job] = []
    for module in ("working", "failing"):
        monkeypatch.setattr(f"reports.jobs.{module}.enqueue", found.append)
    return found
