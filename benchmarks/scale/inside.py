"""Inside of the installation that a benchmark has made: its settings, use cases, and the log of its database."""

import os
from pathlib import Path
from typing import Any

import django

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
