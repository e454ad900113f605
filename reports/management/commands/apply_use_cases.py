"""Create or change use cases from a definition file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from reports.definitions import apply_definitions, read_definitions
from reports.models import UseCase


class Command(BaseCommand):
    help = "Create or change use cases from a definition file. Nothing is changed if any of them is refused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="JSON list of use cases")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            definitions = read_definitions(file)
            results = apply_definitions(definitions)
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from None
        for applied in results:
            self.stdout.write(f"{applied.slug}: {'; '.join(applied.changes) or 'nothing changed'}")
        absent = UseCase.objects.exclude(slug__in=[definition.slug for definition in definitions])
        for slug in absent.order_by("slug").values_list("slug", flat=True):
            self.stdout.write(f"{slug}: not in the file; left as it is")
