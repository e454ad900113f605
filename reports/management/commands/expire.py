"""Delete raw reports whose retention is over, or all of a use case."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.management.named import use_case_named
from reports.models import Deletion, UseCase, Version
from reports.retention import (
    ClockDoubt,
    DayHoldings,
    clock_doubt,
    delete_all,
    delete_expired,
    expired,
    how_many,
    inventory,
    may_be_disclosed,
    undecided,
)


class Command(BaseCommand):
    help = (
        "Delete raw reports whose retention is over, counted or not, and suspicious ones about which nobody decided in"
        " time; read-outs and histograms stay. Prints one line of JSON for each version and day. The schedule of the"
        " workers does the same every hour."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--use-case", metavar="SLUG", help="of this use case only (default: of all)")
        parser.add_argument(
            "--all", action="store_true", help="all raw reports of the use case, whatever their age; needs --use-case"
        )
        parser.add_argument(
            "--trust-clock",
            action="store_true",
            help="although the clock is days ahead of the last day known: it is right, and the site was off",
        )
        parser.add_argument("--dry-run", action="store_true", help="delete nothing, and say what would be deleted")

    def handle(self, *args: Any, use_case: str | None, dry_run: bool, trust_clock: bool, **options: Any) -> None:
        everything: bool = options["all"]
        found = None if use_case is None else use_case_named(use_case)
        if everything and found is None:
            raise CommandError("--all needs --use-case: name the use case whose raw reports are to be deleted.")
        if dry_run:
            if not everything and not trust_clock and (doubt := clock_doubt()):
                raise CommandError(str(doubt))
            due = _due(found, everything)
            for each in due:
                self._print(each)
            self.stderr.write("Nothing was deleted: this is what would be." if due else "Nothing is due.")
            return
        for deletion in self._delete(found, everything, trust_clock):
            self._print(deletion)

    def _delete(self, found: UseCase | None, everything: bool, trust_clock: bool) -> list[Deletion]:
        if found is not None and everything:
            return delete_all(found)
        try:
            return delete_expired(found, trust_clock=trust_clock)
        except ClockDoubt as doubt:
            raise CommandError(str(doubt)) from None

    def _print(self, what: Deletion | DayHoldings) -> None:
        minimum = what.version.use_case.minimum_reports
        line = {
            "use_case": what.version.use_case.slug,
            "version": what.version.number,
            "day": what.day.isoformat(),
            "reports": _number(what.reports, minimum, what.fewest),
            "never_counted": what.never_counted and _number(what.never_counted, minimum, what.fewest_uncounted),
        }
        self.stdout.write(json.dumps(line, ensure_ascii=False))


def _number(reports: int, minimum: int, fewest: int | None) -> int | str:
    """Return a number, or words if it may not be told: logs are read by more people than owners."""
    # One that is not known may be of any size.
    fewest = fewest or 0
    return reports if may_be_disclosed(reports, minimum, fewest) else how_many(reports, minimum, fewest)


def _due(found: UseCase | None, everything: bool) -> list[DayHoldings]:
    """List what would be deleted now; what may still grow in whole lots, or two looks would show when a report came."""
    versions = Version.objects.select_related("use_case")
    due: list[DayHoldings] = []
    for version in versions if found is None else versions.filter(use_case=found):
        if everything:
            due += inventory(version, to_show=True)
        else:
            due += [*expired(version), *undecided(version, to_show=True)]
    # Nothing is printed about a few records of devices.
    return [each for each in due if each.reports]
