"""Say what a site of so many reports a day needs, and what would break first."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from aggregation import ParameterError
from reports.formatting import two_figures
from reports.operations.sizing import ALGORITHM, PARAMETERS, Load, kept_costs, limits, mechanism_of, needs


class Command(BaseCommand):
    help = (
        "Say what a site needs for so many reports a day, and what would break first. It multiplies unit costs that"
        " were measured on one core of a small server; another machine takes half or twice the time."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        number = _above_zero
        parser.add_argument("--reports-a-day", type=number, required=True, metavar="N", help="such as 1e9")
        parser.add_argument("--targets", type=number, required=True, metavar="N", help="use cases times their locales")
        parser.add_argument("--use-cases", type=number, default=100.0, metavar="N")
        parser.add_argument("--records-an-upload", type=number, default=1000.0, metavar="N")
        parser.add_argument("--targets-an-upload", type=number, default=1.0, metavar="N")
        parser.add_argument(
            "--by-devices", type=_share, default=0.0, metavar="SHARE", help="sent by devices themselves"
        )
        parser.add_argument("--algorithm", default=ALGORITHM, metavar="NAME")
        parser.add_argument("--parameters", default=json.dumps(PARAMETERS), metavar="JSON", help="of the algorithm")
        parser.add_argument("--elements", type=number, default=2600.0, metavar="N", help="of a dictionary")
        parser.add_argument("--retention-days", type=number, default=90.0, metavar="N")
        parser.add_argument("--peak", type=number, default=3.0, metavar="F", help="busiest second beside the mean one")
        parser.add_argument("--hours", type=number, default=4.0, metavar="H", help="until a day is published")
        parser.add_argument("--dollars-per-million-writes", type=number, default=5.0, metavar="D")
        parser.add_argument("--json", action="store_true", help="write JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        load, costs = self._load(options), kept_costs()
        found, most = needs(load, costs, options["dollars_per_million_writes"]), limits(load, costs)
        if options["json"]:
            told = {need.name: {"amount": need.amount, "unit": need.unit} for need in found}
            self.stdout.write(json.dumps({"needs": told, "limits": [asdict(limit) for limit in most]}, indent=1))
            return
        self.stdout.write(f"{most[0].sentence}\n\n")
        for need in found:
            self.stdout.write(f"{need.words:36}{two_figures(need.amount):>10} {need.unit}")
        self.stdout.write("\nTaken of what does not grow with more machines:")
        for limit in most:
            self.stdout.write(f"{100 * limit.taken:9.3g} %  {limit.words}")

    def _load(self, options: dict[str, Any]) -> Load:
        try:
            mechanism = mechanism_of(options["algorithm"], json.loads(options["parameters"]))
        except (ParameterError, TypeError, ValueError) as error:
            raise CommandError(f"--algorithm, --parameters: {error}") from None
        return Load(
            mechanism=mechanism,
            reports=round(options["reports_a_day"]),
            targets=round(options["targets"]),
            use_cases=min(round(options["use_cases"]), round(options["targets"])),
            records_per_upload=round(options["records_an_upload"]),
            targets_per_upload=round(options["targets_an_upload"]),
            by_devices=options["by_devices"],
            elements=round(options["elements"]),
            retention_days=round(options["retention_days"]),
            peak=options["peak"],
            hours=options["hours"],
        )


def _above_zero(text: str) -> float:
    number = _number(text)
    if not 0 < number <= 1e15:
        raise ArgumentTypeError("it must be a number above 0")
    return number


def _share(text: str) -> float:
    number = _number(text)
    if not 0 <= number <= 1:
        raise ArgumentTypeError("it must be a share from 0 to 1")
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number") from None
