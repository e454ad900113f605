"""Aggregate the reports of a use case."""

import datetime
import json
from argparse import ArgumentParser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from reports.jobs import finish_inline
from reports.management.arguments import add_inline, add_use_case, add_window
from reports.management.named import use_case_named
from reports.management.waiting import finished, reporter
from reports.models import Run, UseCase
from reports.runs import (
    DISCOVERY_DAYS,
    RUNS,
    NoCluster,
    NothingToAggregate,
    Outcome,
    dask_cluster,
    outcome_of,
    start_run,
    used,
)


class Command(BaseCommand):
    help = "Seal the days of a window and aggregate them. Prints one line of JSON for each version."
    # They would load all pages, which takes as long as a run with nothing to do.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_use_case(parser)
        add_window(parser, f"all days; where words are looked for, the last {DISCOVERY_DAYS}")
        parser.add_argument(
            "--engine", choices=["celery", "dask"], default="celery", help="what counts: workers, or a Dask cluster"
        )
        parser.add_argument("--scheduler", metavar="ADDRESS", help="of the Dask cluster, such as tls://10.0.0.7:8786")
        add_inline(parser)

    def handle(
        self,
        *args: Any,
        use_case: str,
        first: datetime.date | None,
        last: datetime.date | None,
        inline: bool,
        engine: str,
        scheduler: str | None,
        **options: Any,
    ) -> None:
        if (engine == "dask") != (scheduler is not None):
            raise CommandError("--engine dask and --scheduler are given together.")
        found = use_case_named(use_case)
        if first and last and first > last:
            raise CommandError("The window ends before it begins.")
        if scheduler is None:
            do = partial(finished, stderr=self.stderr, inline=inline)
            self._do(self._start(found, first, last, ring=not inline), do)
            return
        try:
            with dask_cluster(scheduler) as cluster, used(cluster.read_out):
                self._do(self._start(found, first, last, ring=False), partial(self._by_threads, cluster.threads))
        except NoCluster as error:
            raise CommandError(str(error)) from error

    def _do(self, runs: list[Run], do: Callable[[Run], Run]) -> None:
        failed = False
        for run in runs:
            done = do(run)
            failed |= done.state == Run.State.FAILED
            self.stdout.write(json.dumps(self._outcome(done)))
            if done.failure:
                self.stderr.write(done.failure)
            if done.state == Run.State.FINISHED and outcome_of(done) is Outcome.NOTHING:
                self.stderr.write(f"Version {done.version.number}: nothing had changed.")
        if failed:
            raise SystemExit(1)

    def _by_threads(self, threads: int, run: Run) -> Run:
        """Do a run here, with a thread for each of the cluster, which waits for what that counts."""
        with ThreadPoolExecutor(threads) as pool:
            others = [pool.submit(_join, run) for _ in range(threads - 1)]
            done = finish_inline(run, reporter(self.stderr))
            for other in others:
                other.result()
        return done

    def _start(
        self, use_case: UseCase, first: datetime.date | None, last: datetime.date | None, *, ring: bool
    ) -> list[Run]:
        """A run for each version that has reports in the window."""
        runs = []
        reasons = ["The use case has no version yet."]
        for version in use_case.versions.frozen().order_by("number"):
            try:
                runs.append(start_run(version, first, last, ring=ring))
            except NothingToAggregate as error:
                reasons.append(str(error))
        if not runs:
            raise CommandError(reasons[-1])
        return runs

    def _outcome(self, run: Run) -> dict[str, object]:
        told: dict[str, object] = {"run": str(run.pk), "version": run.version.number, "state": run.state}
        found = RUNS.of(run.version).outcomes(run) if run.state == Run.State.FINISHED else None
        if found is not None:
            told["published"] = [each.locale for each in found if each.histogram is not None]
            told["withheld"] = [each.locale for each in found if each.histogram is None]
        return told


def _join(run: Run) -> None:
    """Do parts of a run in a thread, with a connection of its own, until it has ended."""
    try:
        finish_inline(run)
    finally:
        connection.close()
