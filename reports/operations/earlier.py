"""Databases and back-ups of earlier releases that cannot be brought to this one."""

from collections.abc import Collection
from importlib import import_module

_SQUASHED = "0001_squashed_0024_clear_changes"
# It has all migrations that the squashed one stands for.
_REVISION = "310e7c19"


def reason_to_refuse(migrations: Collection[tuple[str, str]]) -> str:
    """Say why tables that these migrations, (app, name), made cannot be brought to this release, and what to do."""
    if ("reports", "0001_initial") in migrations:
        return (
            "is from before results were released in periods, and cannot be brought to this release. To keep what was"
            " published, go back to the release that made it and save each histogram with `python manage.py export`."
            " Then start anew here, with a new data folder (LDPSITE_DATA_DIR) or a new database (DATABASE_URL)."
        )
    squashed = replaced()
    applied = squashed.intersection(migrations)
    if applied and applied != squashed:
        missing = min(name for _app, name in squashed - applied)
        return (
            f"is of an earlier release, which ends before migration {missing}. Bring it to revision {_REVISION} first:"
            " install that, run `python manage.py migrate` with it, and then with this release."
        )
    return ""


def replaced() -> frozenset[tuple[str, str]]:
    """Return the migrations, (app, name), that the squashed one stands for."""
    return frozenset(import_module(f"reports.migrations.{_SQUASHED}").Migration.replaces)
