"""Simulate a fleet of devices."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.models import UseCase
from reports.simulation import SharesError, read_shares, simulate


class Command(BaseCommand):
    help = "Write upload documents of a simulated fleet to DIR/USE_CASE.ndjson, and the true counts to a .tsv beside."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("use_case", metavar="USE_CASE", help="identifier of the use case")
        parser.add_argument(
            "--shares", type=Path, required=True, metavar="FILE", help="true shares: locale, element, share, by tabs"
        )
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
        self, *args: Any, use_case: str, shares: Path, reports: int, seed: int, output: Path, **options: Any
    ) -> None:
        found = UseCase.objects.filter(slug=use_case).first()
        version = found.active_version() if found else None
        if version is None:
            raise CommandError(f"There is no use case {use_case!r} with an active version.")
        if reports < 1 or seed < 0:
            raise CommandError("--reports must be at least 1 and --seed at least 0.")
        documents, truth = output / f"{use_case}.ndjson", output / f"{use_case}-true-counts.tsv"
        try:
            found_shares = read_shares(shares, version)
            output.mkdir(parents=True, exist_ok=True)
            simulate(version, found_shares, reports, seed, documents, truth)
        except SharesError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{error.filename or output} cannot be written: {error.strerror}") from None
        self.stdout.write(f"{documents}\n{truth}")
