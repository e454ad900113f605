"""Create training tasks from a file, and activate them."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from reports.training import apply_tasks, read_tasks


class Command(BaseCommand):
    help = "Create training tasks from a file, and activate them. Nothing is changed if any of them is refused."
    # They would load all pages.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.json", help="JSON list of training tasks")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            applied = apply_tasks(read_tasks(file))
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from None
        for slug, done in applied:
            self.stdout.write(f"{slug}: {done}")
