"""Set up the demo."""

import os
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.demo import setup
from reports.models import Run
from reports.runs import progress_of, start_run, take_up_expired

DEFAULT_REPORTS = 400_000
# With a worker the demo takes a few seconds; something is wrong if it takes this long.
PATIENCE_SECONDS = 600


class Command(BaseCommand):
    help = "Define the demo's use case, send a simulated fleet's reports (DEMO_REPORTS of them) and aggregate them."

    def handle(self, *args: Any, **options: Any) -> str:
        total = self._total()
        version = setup.define()
        missing = setup.missing_loads(version, total)
        if missing:
            reports = sum(load.reports for load in missing)
            self._say(f"Simulating {reports:,} devices that privatise an emoji each, and taking in their reports:")
            for taken in setup.send_reports(version, missing):
                self._say(f"  {taken:,} of {reports:,} reports stored")
        else:
            self._say("The demo's reports are here already.")
        if missing or not version.histograms.exists():
            self._aggregate(start_run(version))
        return setup.login()

    def _total(self) -> int:
        text = os.environ.get("DEMO_REPORTS", str(DEFAULT_REPORTS))
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            raise CommandError(f"DEMO_REPORTS must be a positive whole number, not {text!r}.")
        return int(text)

    def _aggregate(self, run: Run) -> None:
        self._say("Aggregating in the worker:")
        started, shown = time.monotonic(), -1
        while True:
            run.refresh_from_db()
            progress = progress_of(run)
            if progress.percent // 20 > shown // 20:
                shown = progress.percent
                self._say(f"  {shown} %")
            if progress.finished:
                break
            if time.monotonic() - started > PATIENCE_SECONDS:
                raise CommandError("No worker finishes the run. Is one running?")
            take_up_expired(run.pk)
            time.sleep(0.1)
        if run.state == Run.State.FAILED:
            raise CommandError(f"The run failed: {run.failure}")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
