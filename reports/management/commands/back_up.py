"""Write all that this installation holds into one archive."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.operations.backup import BackupError, back_up


class Command(BaseCommand):
    help = (
        "Write a back-up: database, stored files and secret key, in one archive that only its owner can read. The site"
        " may go on meanwhile. The archive holds raw reports, and keeps them for as long as you keep it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", type=Path, metavar="FILE", help="a new file: .tar, or .tar.gz, which is smaller and takes longer"
        )

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            back_up(file, self.stderr.write)
        except BackupError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{error.filename or file}: {error.strerror}.") from None
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes")
