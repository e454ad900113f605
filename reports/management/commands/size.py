"""Say what a site of so many reports a day needs, and what would break first."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from aggregation import ParameterError
from reports.formatting import two_figures
from reports.management.arguments import number
from reports.operations.sizing import ALGORITHM, PARAMETERS, Load, kept_costs, limits, mechanism_of, needs


class Command(BaseCommand):
    help = (
        "Say what a site needs for so many reports a day, and what would break first. It multiplies unit costs that"
        " were measured on one core of a small server; another machine takes half or twice the time."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        positive = number("a number above 0", lambda found: 0 < found <= 1e15)
        share = number("a share from 0 to 1", lambda found: 0 <= found <= 1)
        parser.add_argument("--reports-a-day", type=positive, required=True, metavar="N", help="such as 1e9")
        parser.add_argument(
            "--targets", type=positive, required=True, metavar="N", help="use cases times their locales"
        )
        parser.add_argument("--use-cases", type=positive, default=100.0, metavar="N")
        parser.add_argument("--records-an-upload", type=positive, default=1000.0, metavar="N")
        parser.add_argument("--targets-an-upload", type=positive, default=1.0, metavar="N")
        parser.add_argument("--by-devices", type=share, default=0.0, metavar="SHARE", help="sent by devices themselves")
        parser.add_argument("--algorithm", default=ALGORITHM, metavar="NAME")
        parser.add_argument("--parameters", default=json.dumps(PARAMETERS), metavar="JSON", help="of the algorithm")
        parser.add_argument("--elements", type=positive, default=2600.0, metavar="N", help="of a dictionary")
        parser.add_argument("--retention-days", type=positive, default=90.0, metavar="N")
        parser.add_argument(
            "--peak", type=positive, default=3.0, metavar="F", help="busiest second beside the mean one"
        )
        parser.add_argument("--hours", type=positive, default=4.0, metavar="H", help="until a day is published")
        parser.add_argument("--dollars-per-million-writes", type=positive, default=5.0, metavar="D")
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
