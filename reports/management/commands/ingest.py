"""Store batches of reports from files."""

import datetime
import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from reports.dates import iso_date
from reports.ingest import Receipt, Refusal, Upload, UploadRefused, ingest
from reports.models import UseCase


class Command(BaseCommand):
    help = "Store batches of reports: .json or .ndjson files, plain or .gz. Prints one line of JSON for each file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--day", type=iso_date, metavar="YYYY-MM-DD", help="the day they belong to (default: today)"
        )
        parser.add_argument("--strict", action="store_true", help="refuse a file at its first bad document or record")

    def handle(self, *args: Any, files: list[Path], day: datetime.date | None, strict: bool, **options: Any) -> None:
        refused = 0
        for path in files:
            try:
                receipt = self._ingest(path, day, strict)
            except UploadRefused as error:
                refused += 1
                self._print(None, "refused", 0, error.rejected)
                self.stderr.write(f"{path.name}: {error}")
            else:
                status = "duplicate" if receipt.duplicate else "stored"
                self._print(str(receipt.batch), status, receipt.accepted, receipt.rejected)
        if refused:
            raise SystemExit(1)

    def _ingest(self, path: Path, day: datetime.date | None, strict: bool) -> Receipt:
        suffixes = [suffix.lower() for suffix in path.suffixes]
        gzip = suffixes[-1:] == [".gz"]
        form = (suffixes[:-1] if gzip else suffixes)[-1:]
        if form not in ([".json"], [".ndjson"]):
            raise UploadRefused(Refusal.BROKEN, "The name must end in .json, .ndjson, .json.gz or .ndjson.gz.")
        try:
            with path.open("rb") as stream:
                upload = Upload(stream, "ndjson" if form == [".ndjson"] else "json", gzip=gzip)
                return ingest(upload, UseCase.objects.all(), day=day, strict=strict)
        except OSError as error:
            if error.filename is None or Path(str(error.filename)) != path:
                raise  # the storage's trouble, not the file's
            raise UploadRefused(Refusal.BROKEN, f"The file cannot be read: {error.strerror}.") from None

    def _print(self, batch: str | None, status: str, accepted: int, rejected: dict[str, int]) -> None:
        self.stdout.write(json.dumps({"batch": batch, "status": status, "accepted": accepted, "rejected": rejected}))
