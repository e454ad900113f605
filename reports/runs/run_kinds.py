"""Runs of each kind of version: which days one is over, its parts, what each does, and what completes it."""

import datetime
from collections.abc import Collection, Iterable, Sequence
from typing import Final, Protocol

from reports.kinds import ByKind
from reports.models import DictionaryRevision, Part, Run, Shard, Version
from reports.models.shards import ShardQuerySet
from reports.runs.counting_runs import CountingRuns
from reports.runs.discovery_runs import DiscoveryRuns
from reports.runs.part_results import Result
from reports.runs.searches import LocaleOutcome


class RunKind(Protocol):
    def dictionary(self, version: Version) -> DictionaryRevision | None:
        """Return the dictionary that a run would count, if it counts one. Raises `NothingToAggregate`."""

    def days(
        self,
        version: Version,
        first: datetime.date | None,
        last: datetime.date | None,
        waiting: Collection[datetime.date] = (),
    ) -> set[datetime.date]:
        """Return the days of a window that have reports; `waiting` are days that will have some when sealed."""

    def is_due(self, version: Version, last: datetime.date) -> bool:
        """Tell whether a run up to a day would read something out, or publish what is."""

    def shards(self, run: Run) -> ShardQuerySet:
        """Select the sealed shards that a run reads unless they are read out."""

    def parts(self, run: Run, unread: Sequence[Shard]) -> Iterable[Part]:
        """Cut the work on the shards that a run has pinned."""

    def result_of(self, part: Part) -> Result:
        """Do the work of a part; nothing is stored."""

    def finish(self, run: Run) -> None:
        """Publish a run whose parts are all done, or add parts of a later step."""

    def outcomes(self, run: Run) -> list[LocaleOutcome] | None:
        """Return what came of a finished run in each locale; None where results are made when asked for."""


RUNS: Final = ByKind[RunKind](counting=CountingRuns(), discovery=DiscoveryRuns())
