"""Set up the demo: something to see of everything, the newest week of everything, and then the weeks before."""

import os
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.demo import coming, films, lists, loads, setup
from reports.demo.fleets import EMOJI, HEALTH, TWINS, WEB, WORDS, Fleet
from reports.jobs import progress_of, take_up
from reports.locks import Lock, advisory_lock
from reports.models import Run, TrainingRun

DEFAULT_REPORTS = 400_000
# With a worker a run takes a few seconds; something is wrong if it does not move for so long.
PATIENCE_SECONDS = 600


@dataclass
class Watched:
    """A run, what is said when it has counted its reports, how far it was when last looked at, and since when."""

    run: Run
    title: str
    counted: str
    percent: int = 0
    moved: float = field(default_factory=time.monotonic)


class Command(BaseCommand):
    help = "Define the demo's use cases, send simulated fleets' reports and have them aggregated by a running worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        part = parser.add_mutually_exclusive_group()
        part.add_argument("--first", action="store_true", help="only the first use cases, and the login")
        part.add_argument("--rest", action="store_true", help="only what --first leaves out")

    def handle(self, *args: Any, first: bool, rest: bool, **options: Any) -> str | None:
        total = self._total()
        # Two of a kind at once would find the same use cases and days missing.
        with advisory_lock(Lock.DEMO, coming.DEFINING):
            setup.define_small()
        if not first:
            with advisory_lock(Lock.DEMO, coming.FILLING):
                self._fill(total)
        return setup.login() if not rest else None

    # Begun once there are charts.
    _training: Iterator[TrainingRun] | None = None

    def _fill(self, total: int) -> None:
        # While one fleet sends, workers count what others have sent.
        watched: list[Watched] = []
        for weeks in (self._first_weeks(), self._other_weeks(), self._weeks_of_twins()):
            for fleet, week in weeks:
                if fleet in WEB:
                    self._define_web()
                if fleet in TWINS:
                    self._define_twins()
                self._send(fleet, week, total, watched)
            # Simulating more would take the processors away from what has a chart when it is counted.
            self._wait_while_unfinished(watched)
            if self._training is None:
                self._begin_training()
        _refuse_failures(watched)
        lists.propose()
        self._end_training()
        self._say("The demo is complete.")

    def _first_weeks(self) -> list[tuple[Fleet, int]]:
        """Return the weeks that give each use case a chart."""
        # Words of the week before: what is new in the newest is what that one did not have.
        return [(EMOJI, 1), (HEALTH, 1), (WORDS, 2), *((fleet, 1) for fleet in WEB)]

    def _other_weeks(self) -> Iterator[tuple[Fleet, int]]:
        """The newest first."""
        yield WORDS, 1
        others = (EMOJI, HEALTH, *WEB)
        for week in range(2, max(fleet.weeks for fleet in others) + 1):
            yield from ((fleet, week) for fleet in others if week <= fleet.weeks)

    def _weeks_of_twins(self) -> Iterator[tuple[Fleet, int]]:
        """Yield what comes when all else is there: of words the week before first, as above, and else the newest."""
        words, *others = TWINS
        yield from ((words, week) for week in (2, 1))
        for week in range(1, max(fleet.weeks for fleet in others) + 1):
            yield from ((fleet, week) for fleet in others)

    def _begin_training(self) -> None:
        """Have a model trained, now that there are charts to look at meanwhile; others follow while more is sent."""
        films.define()
        self._training = films.runs()
        if next(self._training, None) is not None:
            self._say("Films to watch next: simulated devices train a model …")

    def _end_training(self) -> None:
        for run in self._training or ():
            take_up(run)
            time.sleep(0.1)

    def _define_twins(self) -> None:
        if setup.are_twins_missing():
            self._say("Twins of use cases, with other mechanisms: applying their dictionaries …")
            setup.define_twins()

    def _define_web(self) -> None:
        if setup.is_web_missing():
            self._say("Use cases about domains: generating and applying dictionaries of up to 250,000 names …")
            setup.define_web()

    def _total(self) -> int:
        text = os.environ.get("DEMO_REPORTS", str(DEFAULT_REPORTS))
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            raise CommandError(f"DEMO_REPORTS must be a positive whole number, not {text!r}.")
        return int(text)

    def _send(self, fleet: Fleet, week: int, total: int, watched: list[Watched]) -> None:
        """Send what is missing of a week, and order a run if something of it is not counted."""
        version = loads.version_of(fleet)
        if version is None:
            return
        title = version.use_case.title
        missing = loads.missing_loads(version, max(1, round(total * fleet.reports)), week)
        reports = sum(load.reports for load in missing)
        if missing:
            which = "the newest week" if week == 1 else f"week {week} of {fleet.weeks}"
            self._say(f"{title}, {which}: {reports:,} simulated reports are on their way …")
        elif week == 1:
            self._say(f"{title}: the demo's reports are here already")
        for taken in loads.send_reports(fleet, version, missing):
            if not fleet.at_once and taken < reports and not version.runs.exists():
                # Something to see before the week is complete.
                loads.order_run(version, week)
            self._look_at(watched)
        if not loads.is_counted(version, week):
            # A run beside it would count the same days again, and words are compared with those of the week before.
            self._wait_while_unfinished([item for item in watched if item.run.version_id == version.pk])
            counted = f"{title}: {loads.days_of_demo(fleet, version)} of {fleet.weeks * loads.WEEK} days are counted"
            watched.append(Watched(loads.order_run(version, week), title, counted))

    def _look_at(self, watched: list[Watched]) -> None:
        """Say how far runs are, and have the next model trained when one is."""
        if self._training is not None:
            next(self._training, None)
        for item in watched:
            if item.run.state in Run.UNFINISHED:
                item.run.refresh_from_db()
                percent = progress_of(item.run).percent
                if item.run.state == Run.State.FINISHED:
                    self._say(item.counted)
                if percent > item.percent:
                    item.percent, item.moved = percent, time.monotonic()

    def _wait_while_unfinished(self, watched: list[Watched]) -> None:
        while unfinished := [item for item in watched if item.run.state in Run.UNFINISHED]:
            if time.monotonic() - max(item.moved for item in unfinished) > PATIENCE_SECONDS:
                raise CommandError("No worker finishes the runs. Is one running?")
            for item in unfinished:
                take_up(item.run)
            time.sleep(0.1)
            self._look_at(watched)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _refuse_failures(watched: list[Watched]) -> None:
    failed = [item for item in watched if item.run.state == Run.State.FAILED]
    if failed:
        raise CommandError("\n".join(f"{item.title}: the run failed: {item.run.failure}" for item in failed))
