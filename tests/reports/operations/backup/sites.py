"""Another installation beside that of the test: a database of its own on the same server, a data folder of its own."""

import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from ldpsite.env import BASE_DIR
from tests.processes import clean_environment
from tests.workers import test_database_url as database_url


@dataclass(frozen=True)
class Installation:
    """Place of an installation."""

    data_dir: Path
    database: str
    url: str

    def command(self, *arguments: str | Path, **variables: str) -> "subprocess.CompletedProcess[str]":
        environment = clean_environment(
            LDPSITE_DATA_DIR=str(self.data_dir), LDPSITE_LOCAL_HTTP="1", **({"DATABASE_URL": self.url} | variables)
        )
        return subprocess.run(
            [sys.executable, "manage.py", *map(str, arguments)],
            cwd=BASE_DIR,
            env={name: value for name, value in environment.items() if value},
            capture_output=True,
            text=True,
            check=False,
        )

    @contextmanager
    def visited(self) -> Iterator[None]:
        """Take the test's own process to this installation, for the block."""
        ours = connection.settings_dict["NAME"]
        connection.close()
        connection.settings_dict["NAME"] = self.database
        try:
            with files_in(self.data_dir):
                yield
        finally:
            connection.close()
            connection.settings_dict["NAME"] = ours


@contextmanager
def files_in(folder: Path) -> Iterator[None]:
    shards = settings.STORAGES["shards"] | {"OPTIONS": {"location": folder / "shards"}}
    storages = settings.STORAGES | {"shards": shards}
    with override_settings(DATA_DIR=folder, STORAGES=storages, LDPSITE_SPOOL_DIR=folder / "spool"):
        yield


@contextmanager
def shared_site(folder: Path, blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let a fixture store what it makes for several tests, in the block; drop it afterwards."""
    with blocker.unblock(), files_in(folder):
        try:
            yield
        finally:
            call_command("flush", interactive=False, verbosity=0)
            connection.close()


@contextmanager
def empty_installation(folder: Path) -> Iterator[Installation]:
    """A database without tables, and a folder that is not there yet."""
    name = f"restored_{uuid.uuid4().hex[:12]}"
    parts = urlsplit(database_url())
    with psycopg.connect(parts._replace(path="/postgres").geturl(), autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield Installation(folder, name, parts._replace(path=f"/{name}").geturl())
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
