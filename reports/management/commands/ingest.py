"""Store batches of reports from files."""

import datetime
import gc
import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from reports.collection.ingest import SUFFIXES, Receipt, Refusal, Upload, UploadRefused, ingest, known_suffix
from reports.management.named import iso_date
from reports.models import UseCase


class Command(BaseCommand):
    help = (
        "Store batches of reports: .json or .ndjson files, plain, .gz or .zst. Prints one line of JSON for each file."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--day", type=iso_date, metavar="YYYY-MM-DD", help="the day they belong to (default: today)"
        )
        parser.add_argument(
            "--strict",
            action="store_true",
            help="refuse a file at its first bad document or record, or if its day is closed",
        )

    def handle(self, *args: Any, files: list[Path], day: datetime.date | None, strict: bool, **options: Any) -> None:
        # Documents are trees. Looking for cycles among them would take a fifth of the time.
        gc.disable()
        refused = 0
        for path in files:
            try:
                receipt = self._ingest(path, day, strict)
            except UploadRefused as error:
                refused += 1
                self._print("refused", None, error.rejected)
                self._complain(path, error)
            else:
                status = "duplicate" if receipt.duplicate else "stored"
                self._print(status, receipt, receipt.rejected)
                if words := receipt.in_words():
                    self.stderr.write(f"{path}: {words}")
                for problem in receipt.problems:
                    self.stderr.write(f"{path}: left out: {problem}")
        if refused:
            raise SystemExit(1)

    def _ingest(self, path: Path, day: datetime.date | None, strict: bool) -> Receipt:
        suffix = known_suffix(path.name)
        if suffix is None:
            raise UploadRefused(Refusal.BROKEN, f"The name must end in one of {', '.join(SUFFIXES)}.")
        try:
            with path.open("rb") as stream:
                return ingest(Upload(stream, *SUFFIXES[suffix]), UseCase.objects.all(), day=day, strict=strict)
        except OSError as error:
            if error.filename is None or Path(str(error.filename)) != path:
                raise  # the storage's trouble, not the file's
            raise UploadRefused(Refusal.BROKEN, f"The file cannot be read: {error.strerror}.") from None

    def _complain(self, path: Path, error: UploadRefused) -> None:
        """Say why a file was refused, in a line; and in one more for each of several problems."""
        if len(error.problems) < 2:
            self.stderr.write(f"{path}: {error}")
            return
        for words in (error.detail, *error.problems):
            self.stderr.write(f"{path}: {words}")

    def _print(self, status: str, receipt: Receipt | None, rejected: dict[str, int]) -> None:
        line = {
            "batch": str(receipt.batch) if receipt and receipt.batch else None,
            "status": status,
            "day": receipt.day.isoformat() if receipt else None,
            "requested_day": receipt.requested_day.isoformat() if receipt else None,
            "accepted": receipt.accepted if receipt else 0,
            "rejected": rejected,
        }
        self.stdout.write(json.dumps(line))
