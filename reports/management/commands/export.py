"""Write a histogram to standard output, or all to a bucket or folder."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.bulk import start_export
from reports.management.arguments import add_inline, add_use_case, add_window
from reports.management.named import use_case_named
from reports.management.waiting import finished
from reports.models import Export
from reports.results import GROUPINGS, WORDS, HistogramQuery, QueryError, csv_parts, histogram_table, histogram_view


class Command(BaseCommand):
    help = (
        "Write the published histogram of a window as JSON or CSV; or with --all everything that is published, and has"
        " changed, as Parquet to a bucket or folder."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_use_case(parser, is_optional=True)
        parser.add_argument("--all", dest="address", metavar="ADDRESS", help="s3://bucket/beginning/, or a folder")
        add_inline(parser, "of --all: do the work")
        parser.add_argument("--locale", metavar="L", help="such as en_US (default: the first of the use case)")
        add_window(parser, "all days")
        parser.add_argument(
            "--days", type=int, metavar="N", help="in place of a first day: so many days up to the last"
        )
        parser.add_argument(
            "--use-case-version", type=int, dest="number", metavar="N", help="default: the newest with results"
        )
        parser.add_argument(
            "--group", choices=list(GROUPINGS), default="", help="count elements together (default: no)"
        )
        parser.add_argument("--category", metavar="C", default="", help="only what is in this category")
        parser.add_argument(
            "--words", choices=WORDS, default="", help="which of discovered words (default: all but the rejected)"
        )
        parser.add_argument("--format", dest="form", choices=["json", "csv"], default="json")

    def handle(
        self,
        *args: Any,
        use_case: str | None,
        address: str | None,
        number: int | None,
        form: str,
        inline: bool,
        **options: Any,
    ) -> None:
        if (use_case is None) == (address is None):
            raise CommandError("Name either a use case, or with --all where everything is to be written.")
        if use_case is None:
            self._export_all(str(address), inline=inline)
            return
        asked = {name: options[name] for name in ("locale", "first", "last", "days", "group", "category", "words")}
        try:
            view = histogram_view(use_case_named(use_case), HistogramQuery(version=number, **asked))
        except QueryError as error:
            raise CommandError(f"{error.field}: {error}") from None
        document = view.document()
        if document is None:
            raise CommandError(f"No histogram is published for this window ({view.state}).")
        if form == "json":
            self.stdout.write(json.dumps(document, ensure_ascii=False, indent=1))
        else:
            for part in csv_parts(histogram_table(document)):
                self.stdout.write(part, ending="")

    def _export_all(self, address: str, *, inline: bool) -> None:
        address = address if address.startswith("s3://") else str(Path(address).resolve())
        order = start_export(f"{address.rstrip('/')}/", ring=not inline)
        done = finished(order, self.stderr, inline=inline)
        counts = {"written": done.written, "unchanged": done.unchanged, "removed": done.removed}
        self.stdout.write(json.dumps({"export": str(done.pk), "state": done.state, **counts}))
        if done.state == Export.State.FAILED:
            raise CommandError(done.failure)
