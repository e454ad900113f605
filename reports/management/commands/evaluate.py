"""Try parameters on counts that are known."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from aggregation import ParameterError
from reports.evaluation import TooMuch, document_of, grid_of, order_evaluation
from reports.evaluation.answers import answers, usual_epsilon
from reports.evaluation.cell_facts import facts_of
from reports.management.arguments import add_inline
from reports.management.waiting import finished
from reports.models import Evaluation


class Command(BaseCommand):
    help = (
        "Try a grid of parameters on counts that are known. Prints one JSON document; the answer in words goes to"
        " standard error."
    )
    # They would load all pages.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE.json", type=Path, help="the grid (docs/evaluation.md)")
        add_inline(parser)
        parser.add_argument("--seed", type=int, metavar="S", help="of all randomness (default: drawn)")
        parser.add_argument(
            "--exact-reports", action="store_true", help="make all reports one by one, as devices do; far slower"
        )

    def handle(
        self, *args: Any, file: Path, inline: bool, seed: int | None, exact_reports: bool, **options: Any
    ) -> None:
        grid = _read_json(file)
        try:
            evaluation = order_evaluation(
                grid, _lists_beside(file), seed=seed, exact_reports=exact_reports, ring=not inline
            )
        except (ParameterError, TooMuch) as error:
            raise CommandError(f"{file}: {error}") from error
        done = finished(evaluation, self.stderr, inline=inline)
        document = document_of(done)
        self.stdout.write(json.dumps(document, ensure_ascii=False))
        cells = facts_of(document, grid_of(done).top)
        for sentence in answers(cells, usual_epsilon(cells)):
            self.stderr.write(sentence, style_func=str)
        if done.state == Evaluation.State.FAILED:
            self.stderr.write(f"{done.failure} The document has the cells that are done.")
            raise SystemExit(1)


def _read_json(file: Path) -> object:
    try:
        return json.loads(_text(file))
    except json.JSONDecodeError as error:
        raise CommandError(f"{file}: line {error.lineno}, column {error.colno}: {error.msg}.") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: byte {error.start} is not UTF-8.") from error


def _lists_beside(file: Path) -> Callable[[str], str]:
    """Read the lists that a grid names, which are named from the folder that it is in."""
    return lambda name: _text(file.parent / name)
