#!/usr/bin/env python
"""Every command runs with a database: the one DATABASE_URL names, or else the embedded one, for as long as it runs."""

import os
import signal
import sys
from contextlib import AbstractContextManager, nullcontext
from types import FrameType

from ldpsite import embedded
from ldpsite.env import data_dir, env

# They print and leave; starting a database for them would only be slow.
WITHOUT_DATABASE = {"help", "version", "--help", "-h", "--version"}


def the_database(arguments: list[str]) -> AbstractContextManager[object]:
    if env("DATABASE_URL") or not arguments or WITHOUT_DATABASE & {arguments[0], arguments[-1]}:
        return nullcontext()
    return embedded.database(data_dir())


def leave(signal_number: int, _: FrameType | None) -> None:
    """End as on Ctrl-C, so that the embedded database is stopped too."""
    sys.exit(128 + signal_number)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ldpsite.settings")
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Not when it is ignored: `nohup` asks for that.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, leave)
    try:
        with the_database(sys.argv[1:]):
            from django.core.management import execute_from_command_line

            execute_from_command_line(sys.argv)
    except embedded.EmbeddedDatabaseError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
