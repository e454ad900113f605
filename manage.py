#!/usr/bin/env python
"""Every command runs with a database: the one DATABASE_URL names, or else the embedded one, for as long as it runs."""

import os
import signal
import sys
from contextlib import AbstractContextManager, nullcontext
from types import FrameType

try:
    from ldpsite import embedded
    from ldpsite.env import data_dir, env
except ModuleNotFoundError as missing:
    sys.exit(f"{missing.name} is not installed here. Run `make install`, and then .venv/bin/python manage.py …")

# They print and leave; starting a database for them would only be slow.
COMMANDS_WITHOUT_DATABASE = {"help", "version"}
OPTIONS_WITHOUT_DATABASE = {"--help", "-h", "--version"}

AGAIN = 0.2
"""Seconds after which a command that was asked to end, and goes on, is asked again."""


def the_database(arguments: list[str]) -> AbstractContextManager[object]:
    if env("DATABASE_URL") or not needs_database(arguments):
        return nullcontext()
    return embedded.database(data_dir())


def needs_database(arguments: list[str]) -> bool:
    if not arguments or arguments[0] in COMMANDS_WITHOUT_DATABASE:
        return False
    # Behind "--" nothing is an option.
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return OPTIONS_WITHOUT_DATABASE.isdisjoint(options)


def leave(signal_number: int, _: FrameType | None) -> None:
    """End as on Ctrl-C, so that the embedded database is stopped too."""
    # Python drops what is raised in a destructor or in the callback of a weak reference: until it has got through, it
    # is raised again.
    signal.signal(signal.SIGALRM, lambda *_: None if is_leaving() else sys.exit(128 + signal_number))
    signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
    sys.exit(128 + signal_number)


def is_leaving() -> bool:
    """Say whether the exception of `leave` is on its way, also while what it passes handles another."""
    error = sys.exception()
    while error is not None and not isinstance(error, SystemExit):
        error = error.__context__
    return error is not None


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ldpsite.settings")
    for number in (signal.SIGTERM, signal.SIGHUP):
        # Not when it is ignored: `nohup` asks for that.
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, leave)
    try:
        with the_database(sys.argv[1:]):
            from django.core.management import execute_from_command_line

            execute_from_command_line(sys.argv)
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader of the output, such as `head`, has closed it. Nothing is left to flush when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except Exception as error:
        words = in_words(error)
        if words is None:
            raise
        sys.exit(words)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def in_words(error: Exception) -> str | None:
    """Return the fault and its remedy, where these are known; of anything else the traceback says more."""
    from django.core.exceptions import ImproperlyConfigured
    from django.db import OperationalError, ProgrammingError
    from psycopg.errors import UndefinedColumn, UndefinedTable

    if isinstance(error, embedded.EmbeddedDatabaseError | ImproperlyConfigured):
        return str(error)
    if isinstance(error, ProgrammingError) and isinstance(error.__cause__, UndefinedTable | UndefinedColumn):
        return "The database has no tables yet, or those of another release. Run: python manage.py migrate"
    if isinstance(error, OperationalError):
        return f"The database cannot be used: {str(error).strip().splitlines()[0]}"
    return None


if __name__ == "__main__":
    main()
