"""Write a histogram to standard output."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.management.named import iso_date, use_case_named
from reports.results import GROUPINGS, WORDS, HistogramQuery, QueryError, csv_parts, histogram_table, histogram_view


class Command(BaseCommand):
    help = "Write the published histogram of a window as JSON or CSV."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("use_case", metavar="USE_CASE", help="identifier of the use case")
        parser.add_argument("--locale", metavar="L", help="such as en_US (default: the first of the use case)")
        parser.add_argument("--from", dest="first", type=iso_date, metavar="D", help="first day (default: all days)")
        parser.add_argument("--to", dest="last", type=iso_date, metavar="D", help="last day")
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

    def handle(self, *args: Any, use_case: str, number: int | None, form: str, **options: Any) -> None:
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
