"""Train a task's model on the ratings of a file, held by simulated devices."""

import datetime
import json
import time
import uuid
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from aggregation import training
from reports.jobs import finish_inline, last_heartbeat, progress_of
from reports.management.arguments import add_inline
from reports.management.named import active_task_named
from reports.management.waiting import reporter
from reports.models import TrainingRun, TrainingVersion
from reports.training import (
    DAY,
    DeviceData,
    cancel_training,
    device_configuration,
    document_of,
    in_words,
    known_items,
    order_device_run,
    order_training,
)

POLL_SECONDS = 0.5
# A worker that lives says so every ten seconds, and one that is at work holds a lease.
PATIENCE = datetime.timedelta(minutes=2)
NO_WORKER = (
    "No worker is running, so the run was cancelled. Start one (`manage.py run` starts the whole site), or train with"
    " --inline."
)


class Command(BaseCommand):
    help = (
        "Train a task's model on the ratings of a file, which simulated devices hold, or by real devices. Prints one"
        " JSON document alone; progress goes to standard error."
    )
    # They would load all pages.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="identifier of the training task")
        parser.add_argument("--ratings", type=Path, metavar="R.tsv", help="user, item and rating, with tabs between")
        parser.add_argument(
            "--item-features", type=Path, metavar="F.tsv", help="item and its public features, with tabs between"
        )
        noise = parser.add_mutually_exclusive_group()
        noise.add_argument("--epsilon", type=float, metavar="E", help="in place of the task's target")
        noise.add_argument("--non-private", action="store_true", help="add no noise, and clip nothing")
        parser.add_argument("--seed", type=int, metavar="S", help="of all randomness (default: drawn)")
        parser.add_argument(
            "--split",
            choices=TrainingRun.Split.values,
            default=TrainingRun.Split.RATINGS,
            help="hold out a part of each user's ratings, or whole users (default: ratings)",
        )
        parser.add_argument(
            "--sealed",
            action="store_true",
            help="run the very code of devices, and distributor and aggregator as processes of their own; far slower",
        )
        add_inline(parser)
        real = parser.add_argument_group("real devices")
        real.add_argument(
            "--devices",
            action="store_true",
            help="have devices take part over the network, in place of simulated ones. Prints the run, and what devices"
            " have to be configured with; with --inline it waits for the last round.",
        )
        real.add_argument("--items", type=Path, metavar="I.txt", help="names of all items, one a line, in their order")
        real.add_argument(
            "--round-hours",
            type=float,
            default=DAY.total_seconds() / 3600,
            metavar="H",
            help="after which a round is released with fewer messages, if they are enough (default: %(default)g)",
        )

    def handle(
        self,
        *args: Any,
        slug: str,
        ratings: Path | None,
        item_features: Path | None,
        epsilon: float | None,
        inline: bool,
        devices: bool,
        items: Path | None,
        round_hours: float,
        **chosen: Any,
    ) -> None:
        if devices:
            simulated = [ratings, epsilon, chosen["seed"], chosen["non_private"] or None, chosen["sealed"] or None]
            if simulated != [None] * len(simulated):
                raise CommandError("Of real devices there are no ratings here, and noise is as the task has it.")
            self._by_devices(active_task_named(slug), items, item_features, round_hours, inline=inline)
            return
        if ratings is None:
            raise CommandError("Give --ratings of simulated devices, or have --devices take part.")
        if chosen["sealed"] and chosen["non_private"]:
            raise CommandError(
                "--sealed and --non-private exclude each other: the aggregator lets nothing out without noise."
            )
        version = active_task_named(slug)
        with _refusals_in_words():
            read = training.read_ratings(ratings)
            features = None if item_features is None else training.read_features(item_features, read.item_names)
            run = order_training(
                version,
                DeviceData(read, features),
                target_epsilon=epsilon,
                ring=not inline,
                **{name: chosen[name] for name in ("non_private", "seed", "split", "sealed")},
            )
        self._print_result(finish_inline(run, reporter(self.stderr)) if inline else self._wait(run.pk))

    def _by_devices(
        self, version: TrainingVersion, items: Path | None, item_features: Path | None, hours: float, *, inline: bool
    ) -> None:
        length = datetime.timedelta(hours=hours)
        with _refusals_in_words():
            names = None if items is None else training.read_items(items)
            features = None
            if item_features is not None:
                features = training.read_features(item_features, names or known_items(version)[0])
            run = order_device_run(version, items=names, features=features, round_length=length, ring=not inline)
            configuration = device_configuration(run)
        if inline:
            self._print_result(finish_inline(run, reporter(self.stderr)))
        else:
            said = {"run": str(run.pk), "configuration": configuration}
            self.stdout.write(json.dumps(said, ensure_ascii=False))

    def _print_result(self, run: TrainingRun) -> None:
        if run.document is None:
            raise CommandError(run.failure)
        self.stdout.write(json.dumps(document_of(run), ensure_ascii=False))

    def _wait(self, pk: uuid.UUID) -> TrainingRun:
        report = reporter(self.stderr)
        while True:
            run = TrainingRun.objects.get(pk=pk)
            progress = progress_of(run)
            report(progress)
            if progress.finished:
                return run
            if not progress.held and not _is_worker_there():
                cancel_training(run)
                raise CommandError(NO_WORKER)
            time.sleep(POLL_SECONDS)


@contextmanager
def _refusals_in_words() -> Iterator[None]:
    try:
        yield
    except (training.DataError, OSError) as error:
        raise CommandError(str(error)) from error
    except training.InvalidTask as error:
        raise CommandError("\n".join(map(in_words, error.problems))) from error
    except ValidationError as error:
        raise CommandError("\n".join(error.messages)) from error


def _is_worker_there() -> bool:
    seen = last_heartbeat()
    return seen is not None and timezone.now() - seen < PATIENCE
