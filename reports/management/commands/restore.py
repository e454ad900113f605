"""Restore a back-up into an empty installation."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.operations.backup import BackupError, restore
from reports.storage import StorageUnavailable


class Command(BaseCommand):
    help = (
        "Restore a back-up of `back_up` into an empty installation: a new data folder, or a new database and a new"
        " storage. The archive is checked first; tables of an earlier release are brought to this one."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="what `back_up` has written")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            restore(file, self.stderr.write)
        except BackupError as error:
            raise CommandError(str(error)) from None
        except StorageUnavailable as error:
            raise CommandError(
                f"The storage for shards cannot be used: {error}. Make it, or correct LDPSITE_SHARD_STORAGE, and call"
                " this again."
            ) from None
        except OSError as error:
            raise CommandError(f"{error.filename or file}: {error.strerror}.") from None
        self.stdout.write(f"{file}: restored")
