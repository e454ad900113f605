"""Runs of the aggregator: the jobs that count what versions count, or find their words, and publish it."""

from reports.jobs import register
from reports.kinds import DISCOVERY_DAYS
from reports.runs.abort import abort_runs_of
from reports.runs.outcome import Outcome, outcome_of
from reports.runs.planning import NothingToAggregate, quarantined, start_run
from reports.runs.run_jobs import RunJobs
from reports.runs.uncounted import uncounted_versions, unseen_versions
from reports.runs.waiting import Uncounted, uncounted

register(RunJobs())

__all__ = [
    "DISCOVERY_DAYS",
    "NothingToAggregate",
    "Outcome",
    "Uncounted",
    "abort_runs_of",
    "outcome_of",
    "quarantined",
    "start_run",
    "uncounted",
    "uncounted_versions",
    "unseen_versions",
]
