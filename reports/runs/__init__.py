"""Runs of the aggregator: the jobs that count what versions count, or find their words, and publish it.

`ordering` orders one, `run_jobs` says what workers do with it, and `run_kinds` which parts each kind of version has and
what completes them: `counting_runs`, `discovery_runs`.
"""

from reports.jobs import register
from reports.kinds import DISCOVERY_DAYS
from reports.runs.available import NothingToAggregate, quarantined
from reports.runs.dask_engine import NoCluster, dask_cluster
from reports.runs.ending import Outcome, abort_runs_of, outcome_of
from reports.runs.engines import used
from reports.runs.ordering import start_run
from reports.runs.run_jobs import RunJobs
from reports.runs.run_kinds import RUNS
from reports.runs.uncounted import Uncounted, uncounted, uncounted_versions, unseen_versions

register(RunJobs())
