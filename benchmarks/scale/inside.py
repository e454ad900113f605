"""Inside of the installation that a benchmark has made: its settings, use cases, and the log of its database."""

import datetime
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

if TYPE_CHECKING:
    from reports.models import Run, Version

PARAMETERS = {"epsilon": 4, "k": 1024, "m": 1024, "seed": "0f" * 16}


def set_up() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ldpsite.settings")
    django.setup()


def definition(slug: str, **fields: Any) -> dict[str, Any]:
    """Return the definition of a use case that counts three emoji, unless fields say otherwise."""
    return {
        "slug": slug,
        "title": slug,
        "owner_group": "owners",
        "algorithm": "CountMeanSketch",
        "normalization": "emoji",
        "locales": ["en_US"],
        "parameters": PARAMETERS,
        "dictionary": ["😂", "❤️", "👍"],
    } | fields


def define(*definitions: dict[str, Any]) -> "Version":
    """Define use cases; returns the version of the last."""
    from reports.definitions import apply_definitions, check_definitions

    apply_definitions(check_definitions([*definitions], Path()))
    return version_of(definitions[-1]["slug"])


def version_of(slug: str) -> "Version":
    from reports.models import Version

    return Version.objects.select_related("use_case").get(use_case__slug=slug)


def segment(version: "Version", locale: str, lines: Sequence[str]) -> dict[str, Any]:
    """Return the segment of an upload document with these records."""
    return {
        "use_case": version.use_case.slug,
        "locale": locale,
        "algorithm": version.algorithm,
        "parameters": version.mechanism.encoded_parameters(),
        "records": lines,
    }


def count_days(version: "Version", ago: int = 1) -> "Run":
    """Close the days up to one and count them, as beat and a worker do."""
    from reports.jobs import finish_inline
    from reports.models import Run
    from reports.models.uploads import utc_today
    from reports.runs import start_run

    run = finish_inline(start_run(version, last=utc_today() - datetime.timedelta(days=ago), ring=False))
    if run.state != Run.State.FINISHED:
        raise RuntimeError(run.failure)
    return run


def log_position() -> int:
    """Return how much the server of the database has ever logged, in bytes."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'")
        return int(cursor.fetchone()[0])


def own_memory(process: int | str = "self") -> int:
    """Return the bytes that a process holds beside files that are mapped, whose pages are taken back when needed."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    # One that has ended holds none.
    return sum(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("RssAnon"))
