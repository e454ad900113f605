"""Store batches of reports from files, buckets and folders."""

import datetime
import gc
import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.bulk import is_address, start_import, tally_of
from reports.collection.ingest import SUFFIXES, Receipt, Refusal, Upload, UploadRefused, ingest, known_suffix
from reports.management.arguments import add_inline, iso_date
from reports.management.waiting import finished
from reports.models import Import, UseCase


class Command(BaseCommand):
    help = (
        "Store batches of reports: .json or .ndjson files, plain, .gz or .zst; or what is new in a bucket or folder,"
        " also as .parquet, each object once. Prints one line of JSON for each."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="a file, a folder/, or s3://bucket/beginning/")
        parser.add_argument(
            "--day",
            type=iso_date,
            metavar="YYYY-MM-DD",
            help="the day they belong to (default: today; of an object below day=YYYY-MM-DD/ that day)",
        )
        parser.add_argument(
            "--strict",
            action="store_true",
            help="refuse a file at its first bad document or record, or if its day is closed",
        )
        add_inline(parser, "read a bucket or folder")

    def handle(
        self, *args: Any, files: list[str], day: datetime.date | None, strict: bool, inline: bool, **options: Any
    ) -> None:
        # Documents are trees. Looking for cycles among them would take a fifth of the time.
        gc.disable()
        if strict and any(map(is_address, files)):
            raise CommandError("--strict is for files: nothing of a bucket or folder is refused as a whole.")
        refused = 0
        for name in files:
            if is_address(name):
                refused += not self._import(name, day, inline=inline)
                continue
            path = Path(name)
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

    def _import(self, address: str, day: datetime.date | None, *, inline: bool) -> bool:
        """Read what is new at an address; returns whether all of it could be."""
        if not address.startswith("s3://"):
            address = f"{Path(address).resolve()}/"  # as workers find it
        order = start_import(address, day=day, ring=not inline)
        done = finished(order, self.stderr, inline=inline)
        self.stdout.write(json.dumps({"import": str(done.pk), "state": done.state, **tally_of(done).stored()}))
        if done.failure:
            self.stderr.write(f"{address}: {done.failure}")
        return done.state == Import.State.FINISHED

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
        for words in [error] if len(error.problems) < 2 else [error.detail, *error.problems]:
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
