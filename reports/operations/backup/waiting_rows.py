"""Waiting records of devices in a back-up: rows in the order of their random keys.

A dump has rows as they lie in the table, those of one document side by side, until they are mixed. In an archive that
would stay so for good, and no mixing changes it after a restoration. So these tables are not in the dump.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.db import connection, transaction
from psycopg import sql

from reports.models import DeviceKey, DeviceRecord
from reports.operations.backup import programs
from reports.operations.backup.manifest import BackupError

TABLES, RECORDS, KEYS = "waiting.dump", "device-records.copy", "device-keys.copy"
MEMBERS = (TABLES, RECORDS, KEYS)
# Each member's table, and its random key.
_ROWS = {RECORDS: (DeviceRecord._meta.db_table, "id"), KEYS: (DeviceKey._meta.db_table, "key_hmac")}
_NAMES = [table for table, _key in _ROWS.values()]
NOT_IN_DUMP = [f"--exclude-table=public.{name}" for name in _NAMES]


def dump(folder: Path, options: list[str]) -> None:
    """Write the members; in a transaction whose snapshot is one of the options for `pg_dump`."""
    chosen = [f"--table=public.{name}" for name in _NAMES]
    programs.run("pg_dump", [*options, "--schema-only", *chosen, "--file", folder / TABLES])
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL datestyle TO 'ISO'")
        for member, (table, key) in _ROWS.items():
            ordered = sql.SQL("COPY (SELECT * FROM {} ORDER BY {}) TO STDOUT").format(
                sql.Identifier(table), sql.Identifier(key)
            )
            with (folder / member).open("xb") as file, cursor.copy(ordered) as rows:
                for chunk in rows:
                    file.write(chunk)


@contextmanager
def restored(folder: Path, options: list[str], at_least: int) -> Iterator[None]:
    """Restore these two tables with their rows for the block; drop them again if it fails.

    They come first, having no foreign keys, so that restoring all the others can be the last step.
    """
    try:
        programs.run("pg_restore", [*options, folder / TABLES], at_least=at_least)
        with transaction.atomic():
            for member, (table, _key) in _ROWS.items():
                _copy(folder / member, table)
        yield
    except BaseException:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE IF EXISTS {', '.join(_NAMES)}")
        raise


def _copy(path: Path, table: str) -> None:
    statement = sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table))
    try:
        with path.open("rb") as file, connection.cursor() as cursor, cursor.copy(statement) as rows:
            while chunk := file.read(1 << 16):
                rows.write(chunk)
    except (psycopg.DataError, psycopg.IntegrityError):  # whose words may have a row in them
        raise BackupError(f"{path.name} of the back-up does not fit the table {table}.") from None
