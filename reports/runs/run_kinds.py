"""Runs of each kind of version: which days one is over, its parts, what each does, and what completes it."""

from typing import Final

from reports.kinds import ByKind
from reports.runs.counting_runs import CountingRuns
from reports.runs.discovery_runs import DiscoveryRuns

RUNS: Final = ByKind[CountingRuns | DiscoveryRuns](counting=CountingRuns(), discovery=DiscoveryRuns())
