"""Print the plan of a training task: its noise, and what it spends."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from reports.management.named import active_task_named
from reports.training import plan_of


class Command(BaseCommand):
    help = "Print the plan of a training task's active version as JSON: its noise, and the ε that it spends."
    # They would load all pages.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="identifier of the training task")

    def handle(self, *args: Any, slug: str, **options: Any) -> None:
        self.stdout.write(json.dumps(plan_of(active_task_named(slug)), ensure_ascii=False))
