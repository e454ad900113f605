"""Runs of the aggregator: plan, work, publish. The face of the package; the broker is only a doorbell."""

from reports.runs.abort import abort_runs_of
from reports.runs.enqueue import dispatch
from reports.runs.parts import sweep, work_on
from reports.runs.planning import NothingToAggregate, quarantined, retry, start_run
from reports.runs.progress import Progress, finish_inline, progress_of, take_up_expired
from reports.runs.uncounted import uncounted_versions, unseen_versions
from reports.windows import DISCOVERY_DAYS

__all__ = [
    "DISCOVERY_DAYS",
    "NothingToAggregate",
    "Progress",
    "abort_runs_of",
    "dispatch",
    "finish_inline",
    "progress_of",
    "quarantined",
    "retry",
    "start_run",
    "sweep",
    "take_up_expired",
    "uncounted_versions",
    "unseen_versions",
    "work_on",
]
