"""Write training tasks as a file that `apply_training_tasks` reads."""

import json
from typing import Any

from django.core.management.base import BaseCommand

from reports.training import written_tasks


class Command(BaseCommand):
    help = "Print the training tasks that have an active version, as `apply_training_tasks` reads them."
    # They would load all pages.
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(json.dumps(written_tasks(), ensure_ascii=False, indent=2))
