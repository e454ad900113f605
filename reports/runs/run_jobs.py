"""Runs as jobs: how they are planned, how a part of one is done, and how they end."""

import datetime
from collections.abc import Iterable

from reports.collection import seal_days
from reports.jobs import JobType
from reports.models import JobQuerySet, Part, Run
from reports.runs.commit import commit_result
from reports.runs.planning import parts_of
from reports.runs.publishing import publish
from reports.runs.steps import result_of

# After a failed run another is ordered by itself, later with each that fails, so that none are ordered in a circle.
FIRST_PAUSE = datetime.timedelta(hours=1)
LONGEST_PAUSE = datetime.timedelta(hours=24)


class RunJobs(JobType[Run, Part]):
    model = Run

    def jobs(self) -> JobQuerySet[Run]:
        return Run.objects.select_related("version__use_case", "revision")

    def prepare(self, job: Run) -> None:
        seal_days(job.version, job.first_day, job.last_day)

    def cut(self, job: Run) -> Iterable[Part]:
        return parts_of(job)

    def do(self, part: Part) -> None:
        commit_result(part, result_of(part))

    def finish(self, job: Run) -> None:
        publish(job)

    def pause(self, job: Run) -> datetime.timedelta:
        """Return twice as long for each run of the version that failed in a row."""
        runs = job.version.runs.all()
        failed = runs.filter(state=Run.State.FAILED)
        if finished := runs.filter(state=Run.State.FINISHED).first():
            failed = failed.filter(created_at__gt=finished.created_at)
        pause: datetime.timedelta = FIRST_PAUSE * 2 ** min(failed.count(), 10)
        return min(pause, LONGEST_PAUSE)
