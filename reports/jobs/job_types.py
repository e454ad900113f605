"""Kinds of jobs: what each provides, and a registry of them."""

import datetime
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Generic, NamedTuple

from reports.models.jobs import AnyJob, AnyPart, Job, JobQuerySet


class Share(NamedTuple):
    """Share of the expected work of a job that is done, from 0 to 1, where its parts differ."""

    done: float = 0.0
    # Done since the job was started, or started again, and when the last part of it was.
    recent: float = 0.0
    latest: datetime.datetime | None = None


class JobType(ABC, Generic[AnyJob, AnyPart]):
    """Kind of jobs: plans, does and finishes those of a model. Workers may try anything more than once."""

    model: type[AnyJob]
    # No part takes nearly as long: a worker that hangs must not hold it for good.
    longest = datetime.timedelta(hours=1)

    def jobs(self) -> JobQuerySet[AnyJob]:
        """Select all jobs, with what is needed to work on them."""
        return JobQuerySet(self.model)

    def prepare(self, job: AnyJob) -> None:
        """Do what comes before planning, in as many transactions as it takes."""

    @abstractmethod
    def cut(self, job: AnyJob) -> Iterable[AnyPart]:
        """Make the parts of a job, in the transaction that stores them."""

    @abstractmethod
    def do(self, part: AnyPart) -> None:
        """Do a part, whose lease is renewed meanwhile, and hand in its result."""

    def give_up(self, part: AnyPart) -> bool:
        """Hand in a part that was lost with every worker as one that cannot be done; False if its job shall fail."""
        return False

    @abstractmethod
    def finish(self, job: AnyJob) -> None:
        """End a job whose parts are all done, or add parts of a later step. One worker at a time is here."""

    def shares(self, jobs: Collection[AnyJob]) -> Mapping[Any, Share]:
        """Return how much of jobs is done, by their identifiers, where their parts differ in work."""
        return {}

    def pause(self, job: AnyJob) -> datetime.timedelta:
        """Return how long after its failure no other job is ordered automatically in place of this one."""
        return datetime.timedelta()


# By the model of the jobs, as `app.model`.
JOB_TYPES: dict[str, JobType[Any, Any]] = {}


def register(job_type: JobType[Any, Any]) -> None:
    JOB_TYPES[job_type.model._meta.label_lower] = job_type


def type_of(job: Job) -> JobType[Any, Any]:
    return JOB_TYPES[job._meta.label_lower]
