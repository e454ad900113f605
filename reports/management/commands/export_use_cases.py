"""Write the definition file that apply_use_cases reads."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.definitions import write_definitions
from reports.models import UseCase


class Command(BaseCommand):
    help = "Write use cases as a definition file. Drafts and superseded versions are not in it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slugs", nargs="*", metavar="SLUG", help="identifiers of use cases (default: all)")
        parser.add_argument(
            "--output",
            type=Path,
            metavar="FILE",
            help="default: standard output. A missing folder is made; long dictionaries go into <slug>.csv beside FILE",
        )

    def handle(self, *args: Any, slugs: list[str], output: Path | None, **options: Any) -> None:
        use_cases = UseCase.objects.select_related("owner_group", "budget_group").order_by("slug")
        if slugs:
            use_cases = use_cases.filter(slug__in=slugs)
            missing = {*slugs}.difference(use_cases.values_list("slug", flat=True))
            if missing:
                raise CommandError(f"There is no use case {', '.join(sorted(missing))}.")
        for use_case in use_cases:
            if use_case.active_version() is None:
                self.stderr.write(f"{use_case.slug}: has no active version; not exported")
        if output is None:
            self.stdout.ending = ""  # it would end every piece with a new line
            write_definitions(use_cases, self.stdout)
            return
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
            with output.open("w", encoding="utf-8") as stream:
                write_definitions(use_cases, stream, output.parent)
        except OSError as error:
            raise CommandError(f"cannot write {error.filename}: {error.strerror}") from None
