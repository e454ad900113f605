"""Measure the privacy loss of the clients as shipped."""

import json
import math
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from aggregation.audit import Client, ClientError, Outcome, audit, browser_client, python_client, runs_needed, sentence
from aggregation.mechanisms import Mechanism
from aggregation.normalization import PAD
from reports.kinds import ByKind, puzzle_of
from reports.mechanisms import words_of
from reports.models import UseCase, Version

SCRIPT = Path(__file__).resolve().parents[2] / "static" / "reports" / "device.js"
# At least so many, and what it takes to judge the estimate.
LEAST_RUNS = {"python": 1_000_000, "browser": 200_000}
# Told to those who wait longer than this.
PROGRESS_AFTER_SECONDS = 1

EXPLANATION = """\
Each client, run as a program of its own, reports two elements of a use case over and over. From its record lines the
audit measures how far these tell the two apart: the loss ε of a report. A client passes if the lower confidence limit
(a chance of 1e-6 to be too high) is at most the ε stated and the estimate at most ε + 0.05, if rows, coordinates and
positions are uniform and tell nothing, and if no flip depends on another.

Exit code 1 if a client does not pass, or if the runs are too few to tell.
"""
HEADINGS = ("USE CASE", "CLIENT", "RUNS", "STATED ε", "ESTIMATE", "ERROR", "AT LEAST", "VERDICT")


def clients(names: list[str], mechanism: Mechanism) -> list[Client]:
    """The shipped clients of these names that a mechanism has, each once."""
    return [
        python_client(mechanism) if name == "python" else browser_client(SCRIPT)
        for name in dict.fromkeys(names)
        if name == "python" or mechanism.in_browsers
    ]


class Command(BaseCommand):
    help = "Measure the privacy loss ε of the clients as shipped. Prints a table."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = EXPLANATION
        parser.add_argument("use_cases", nargs="*", metavar="USE_CASE", help="default: all with an active version")
        parser.add_argument(
            "--client", action="append", choices=list(LEAST_RUNS), help="may be given twice (default: both)"
        )
        parser.add_argument(
            "--runs",
            type=int,
            metavar="N",
            help="reports of each use case and client (default: as many as it takes to tell; at least"
            " 1,000,000 for Python, 200,000 for the browser)",
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="a list of objects in place of a table")

    def handle(
        self,
        *args: Any,
        use_cases: list[str],
        client: list[str] | None,
        runs: int | None,
        as_json: bool,
        **options: Any,
    ) -> None:
        if runs is not None and runs < 1:
            raise CommandError("--runs must be at least 1.")
        versions = active_versions(use_cases)
        self._table_begun = False
        documents = []
        try:
            for version in versions:
                if not version.mechanism.in_browsers and "python" not in (client or ["python"]):
                    raise CommandError(f"{version.algorithm} has no client in browsers. Audit it with --client python.")
                for each in clients(client or list(LEAST_RUNS), version.mechanism):
                    outcome = self._audit(version, each, runs)
                    documents.append(document(version, each, outcome))
                    if not as_json:
                        self._show(documents[-1], outcome)
        except ClientError as error:
            raise CommandError(str(error)) from None
        if as_json:
            self.stdout.write(json.dumps(documents, ensure_ascii=False, indent=1))
        if not all(item["verdict"] == "passes" for item in documents):
            raise SystemExit(1)

    def _audit(self, version: Version, client: Client, runs: int | None) -> Outcome:
        mechanism = version.device_mechanism
        started = shown = time.monotonic()

        def progress(done: int, of: int) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - started > PROGRESS_AFTER_SECONDS and (now - shown > PROGRESS_AFTER_SECONDS or done == of):
                shown = now
                self._progress(
                    f"{version.use_case.slug}, {client.name}: {100 * done // of} % of {of:,} reports", done == of
                )

        if runs is None:
            runs = max(LEAST_RUNS[client.name], runs_needed(mechanism))
        return audit(mechanism, two_elements(version), client, runs, progress)

    def _progress(self, line: str, last: bool) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\r{line}\033[K", ending="\r\033[K" if last else "")
        elif last:
            self.stderr.write(line)
        self.stderr.flush()

    def _show(self, item: dict[str, Any], outcome: Outcome) -> None:
        if not self._table_begun:
            self.stdout.write(row(HEADINGS))
            self._table_begun = True
        measured = outcome.measured
        self.stdout.write(
            row(
                (
                    item["use_case"],
                    item["client"],
                    f"{outcome.runs:,}",
                    f"{outcome.epsilon:g}",
                    number(measured.estimate),
                    number(measured.error),
                    number(measured.limit),
                    item["verdict"],
                )
            )
        )
        for fault in item["faults"]:
            self.stdout.write(f"  {fault}")
        if not outcome.enough:
            self.stdout.write(f"  to judge the estimate takes {outcome.needed:,} runs")
        self.stdout.flush()


def active_versions(slugs: list[str]) -> list[Version]:
    """The active versions of these use cases; of all if none is named."""
    versions = Version.objects.active().select_related("use_case").order_by("use_case__slug")
    if not slugs:
        if not versions:
            raise CommandError("There is no use case with an active version. Make one: manage.py apply_use_cases FILE")
        return list(versions)
    found = {version.use_case.slug: version for version in versions.filter(use_case__slug__in=slugs)}
    for slug in slugs:
        if slug not in found:
            known = UseCase.objects.filter(slug=slug).exists()
            raise CommandError(
                f"The use case {slug!r} has no active version." if known else f"There is no use case {slug!r}."
            )
    return [found[slug] for slug in dict.fromkeys(slugs)]


def _two_words(version: Version) -> list[str]:
    """Return two words that share no two letters in one place."""
    alphabet, length = version.alphabet_of(version.locales[0]) or "ab", puzzle_of(version).length
    endless = alphabet * (2 * length)
    # With a single letter, the one has but one and the other nothing else.
    short = endless[: length // 2 if len(alphabet) > 1 else 1]
    return [short + PAD * (length - len(short)), endless[len(alphabet) // 2 :][:length]]


def _two_of_dictionary(version: Version) -> list[str]:
    """Return the first two elements of the dictionary, or as many examples as it lacks."""
    revision = version.current_dictionary()
    known = list(revision.entries.order_by("position").values_list("element", flat=True)[:2]) if revision else []
    others = words_of(version.algorithm).examples(version.device_mechanism) or ("a", "b", "c")
    return [*known, *(text for text in others if text not in known)][:2]


def two_elements(version: Version) -> list[str]:
    """Return two elements to be told apart."""
    return ByKind(counting=_two_of_dictionary, discovery=_two_words).of(version)(version)


def document(version: Version, client: Client, outcome: Outcome) -> dict[str, Any]:
    """Return the outcome as JSON has it; an estimate or limit that is not finite is null."""
    if outcome.faults:
        verdict = "fails"
    else:
        verdict = "passes" if outcome.enough else "too few runs to tell"
    measured = outcome.measured
    return {
        "use_case": version.use_case.slug,
        "version": version.number,
        "client": client.name,
        "algorithm": version.algorithm,
        "runs": outcome.runs,
        "runs_needed": outcome.needed,
        "epsilon": outcome.epsilon,
        "estimate": finite(measured.estimate),
        "standard_error": measured.error,
        "lower_limit": finite(measured.limit),
        "verdict": verdict,
        "faults": [sentence(version.mechanism, fault) for fault in outcome.faults],
    }


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def number(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "−∞" if value < 0 else "∞"


def row(cells: tuple[str, ...]) -> str:
    """Format a line of the table: texts to the left, numbers to the right."""
    use_case, client, *numbers, verdict = cells
    return "  ".join([f"{use_case:<22}", f"{client:<7}", *(f"{cell:>9}" for cell in numbers), verdict])
