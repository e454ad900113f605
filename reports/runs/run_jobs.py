"""Runs as jobs: how they are planned, how a part of one is done, and how they end."""

import datetime
from collections.abc import Iterable

from reports.collection import seal_days
from reports.jobs import JobType
from reports.locks import Lock, lock_until_commit
from reports.models import JobQuerySet, Part, ReadOut, Run
from reports.runs.part_results import Result, commit_result
from reports.runs.run_kinds import RUNS

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
        """Pin the sealed shards that were never read out, and cut the work on them into parts."""
        # Retention deletes shards under the same lock: what is pinned is there, and a run that pins it is found.
        lock_until_commit(Lock.DAYS, [job.version_id], shared=True)
        kind = RUNS.of(job.version)
        unread = list(kind.shards(job).unread(ReadOut.objects.filter(revision=job.revision)))
        job.shards.set(unread)
        return kind.parts(job, unread)

    def do(self, part: Part) -> None:
        commit_result(part, result_of(part))

    def finish(self, job: Run) -> None:
        RUNS.of(job.version).finish(job)

    def pause(self, job: Run) -> datetime.timedelta:
        """Return twice as long for each run of the version that failed in a row."""
        runs = job.version.runs.all()
        failed = runs.filter(state=Run.State.FAILED)
        if finished := runs.filter(state=Run.State.FINISHED).first():
            failed = failed.filter(created_at__gt=finished.created_at)
        pause: datetime.timedelta = FIRST_PAUSE * 2 ** min(failed.count(), 10)
        return min(pause, LONGEST_PAUSE)


def result_of(part: Part) -> Result:
    return RUNS.of(part.run.version).result_of(part)
