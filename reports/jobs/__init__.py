"""Jobs: planned once, done part by part by any number of workers, finished once. The broker is only a doorbell.

The package knows no job: those who order some register a `JobType`, which says how a part is done.
"""

from reports.jobs.ending import cancel, drop_parts, end, hold
from reports.jobs.failing import PermanentFailure, fail, postpone, retry
from reports.jobs.job_types import JobType, register
from reports.jobs.leases import claim, hand_in
from reports.jobs.progress import Progress, Stage, progress_by_job, progress_of
from reports.jobs.wake_ups import enqueue
from reports.jobs.worker_heartbeat import last_heartbeat
from reports.jobs.working import begin, do, finish_inline, sweep, take_up, work_on

__all__ = [
    "JobType",
    "PermanentFailure",
    "Progress",
    "Stage",
    "begin",
    "cancel",
    "claim",
    "do",
    "drop_parts",
    "end",
    "enqueue",
    "fail",
    "finish_inline",
    "hand_in",
    "hold",
    "last_heartbeat",
    "postpone",
    "progress_by_job",
    "progress_of",
    "register",
    "retry",
    "sweep",
    "take_up",
    "work_on",
]
