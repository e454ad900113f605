"""Programs of PostgreSQL that dump a database and restore it."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from django.conf import settings
from django.db import connection
from django.db.backends.postgresql.client import DatabaseClient
from django.utils.module_loading import import_string

from reports.operations.backup.manifest import BackupError

Name = Literal["pg_dump", "pg_restore"]


def server_version() -> int:
    """Return the major version of the site's PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        (number,) = cursor.fetchone()
    return int(number) // 10_000


def run(name: Name, options: Sequence[str | Path], *, at_least: int = 0) -> int:
    """Call the program that fits the server, on the site's database; returns its version. Raises `BackupError`."""
    # Not the name of the database as an argument: it might look like one, and a password must not be seen by `ps`.
    found = dict(connection.settings_dict)
    command, variables = DatabaseClient.settings_to_cmd_args_env(found | {"NAME": "", "OPTIONS": found["OPTIONS"]}, [])
    del command[0], command[-1]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
    environment |= {"LC_ALL": "C", **(variables or {})}
    version, program = _fitting(name, max(at_least, server_version()))
    done = subprocess.run(
        [program, *command, "--dbname", _quoted(found["NAME"]), "--no-password", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise BackupError(f"{program} failed: {_first_error(done.stderr)}")
    return version


def _quoted(database: str) -> str:
    """Return a connection string, so that no name is taken for one."""
    escaped = database.replace("\\", "\\\\").replace("'", "\\'")
    return f"dbname='{escaped}'"


def _first_error(said: str) -> str:
    lines = said.strip().splitlines()
    return next((line for line in lines if "error:" in line), lines[-1] if lines else "it does not say why")


def _fitting(name: Name, wanted: int) -> tuple[int, Path]:
    """Return the oldest program that is not too old.

    Older ones cannot read what there is, newer ones may say what the server does not understand.
    """
    found = [(version, path) for path in _candidates(name) if (version := _major_version(path))]
    fitting = [version for version, _path in found if version >= wanted]
    if fitting:
        return next(each for each in found if each[0] == min(fitting))
    there = ", ".join(f"{path} ({version})" for version, path in found) or "none"
    raise BackupError(
        f"A {name} of PostgreSQL {wanted} or newer is needed; found: {there}. Install the client programs of PostgreSQL"
        f" {wanted} and put them on the PATH."
    )


def _candidates(name: Name) -> Iterator[Path]:
    if path := shutil.which(name):
        yield Path(path)
    folders = import_string(settings.LDPSITE_POSTGRES_PROGRAMS)
    for folder in folders():
        if (folder / name).exists():
            yield folder / name


def _major_version(program: Path) -> int:
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    match = re.search(r"\d+", said)
    return int(match[0]) if match else 0
