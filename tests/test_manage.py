"""`manage.py`: which commands start the embedded database."""

import os
import signal
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, ProgrammingError, connection

from manage import in_words, needs_database

pytestmark = pytest.mark.exact


@pytest.mark.parametrize(
    "line",
    [
        "migrate",
        "run --port 8001",
        "create_token help",
        "create_token version",
        "revoke_token -- --help",
        "ingest help version",
    ],
)
def test_a_command_has_a_database(line: str) -> None:
    assert needs_database(line.split())


@pytest.mark.parametrize(
    "line", ["", "help", "help migrate", "version", "--help", "-h", "--version", "migrate --help", "migrate -h app"]
)
def test_what_only_prints_has_none(line: str) -> None:
    assert not needs_database(line.split())


@pytest.mark.django_db
def test_a_database_without_tables_is_said_in_one_line() -> None:
    with pytest.raises(ProgrammingError) as caught, connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM no_such_table")
    assert "manage.py migrate" in (in_words(caught.value) or "")


def test_only_what_is_known_is_put_in_words() -> None:
    assert in_words(OperationalError("connection refused\nmore")) == "The database cannot be used: connection refused"
    assert in_words(ImproperlyConfigured("Set it.")) == "Set it."
    assert in_words(ProgrammingError("syntax error")) is None
    assert in_words(ValueError("x")) is None


@pytest.mark.parametrize("line", ["version", "diffsettings --all"])
def test_a_reader_who_has_had_enough_ends_a_command_quietly(line: str) -> None:
    """Also where Python has kept all that was printed until the end."""
    read, write = os.pipe()
    os.close(read)
    # Neither of them asks the database for anything.
    environment = {**os.environ, "DATABASE_URL": "postgres://localhost:1/none"}
    command = [sys.executable, "manage.py", *line.split()]
    result = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, env=environment, check=False, text=True)
    os.close(write)
    assert (result.returncode, result.stderr) == (128 + signal.SIGPIPE, "")


ASKED_WHERE_NOTHING_CAN_BE_RAISED = """
import os, signal, time

class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0)

Dying()
try:
    time.sleep(30)
finally:
    time.sleep(0.7)
    print("tidied up")
"""


def test_a_command_ends_that_is_asked_to_while_it_destroys_an_object_and_tidies_up_undisturbed() -> None:
    environment = {**os.environ, "DATABASE_URL": "postgres://localhost:1/none"}
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", ASKED_WHERE_NOTHING_CAN_BE_RAISED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "tidied up\n"), done.stderr
