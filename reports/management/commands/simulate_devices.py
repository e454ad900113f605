"""Simulate a fleet of devices."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.management.arguments import add_use_case
from reports.models import UseCase
from reports.simulation import SharesError, read_shares, simulate, write_truth, zipf_shares

EXPLANATION = """\
Without --shares the devices draw from the dictionary of the use case by Zipf's law, in every locale: its first element
is twice as frequent as the second, three times as frequent as the third, and so on. A use case that finds its words
itself has no dictionary and needs --shares.

A file of shares is UTF-8 text with a line of column names, then a line for each element of each locale, its fields
separated by tabs:

  locale  element  share
  en_US   😂       0.06
  en_US   ❤️       0.04
  fr_FR   😂       0.05

Locales are those of the use case ("und" if it has none). Elements need not be in the dictionary. Shares are numbers
from 0; those of a locale need not add up to 1. Words are cut to the length that devices report, and add up if they are
then the same; what devices would not report, such as a word with letters outside the alphabet, is an error.

To see the result: manage.py ingest USE_CASE.ndjson, or upload the file on the site; then start a run.
"""


class Command(BaseCommand):
    help = "Write upload documents of a simulated fleet to DIR/USE_CASE.ndjson, and the true counts to a .tsv beside."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EXPLANATION
        add_use_case(parser)
        parser.add_argument("--shares", type=Path, metavar="FILE", help="what the devices observe, see below")
        parser.add_argument(
            "--reports",
            type=int,
            default=100_000,
            metavar="N",
            help="in all, evenly over the locales (default: 100,000)",
        )
        parser.add_argument("--seed", type=int, default=0, help="the same seed makes the same fleet (default: 0)")
        parser.add_argument("--output", type=Path, default=Path(), metavar="DIR", help="default: here")

    def handle(
        self, *args: Any, use_case: str, shares: Path | None, reports: int, seed: int, output: Path, **options: Any
    ) -> None:
        found = UseCase.objects.filter(slug=use_case).first()
        version = found.active_version() if found else None
        if version is None:
            raise CommandError(f"There is no use case {use_case!r} with an active version.")
        if reports < 1 or seed < 0:
            raise CommandError("--reports must be at least 1 and --seed at least 0.")
        documents, truth = output / f"{use_case}.ndjson", output / f"{use_case}-true-counts.tsv"
        try:
            observed = read_shares(shares, version) if shares is not None else zipf_shares(version)
            output.mkdir(parents=True, exist_ok=True)
            write_truth(truth, version, observed, simulate(version, observed, reports, seed, documents))
        except SharesError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{error.filename or output} cannot be written: {error.strerror}") from None
        self.stdout.write(f"{documents}\n{truth}")
