"""Helpers of tests that start other processes."""

import os
import random
import socket
from contextlib import suppress

OURS = ("CELERY_", "DATABASE_", "DJANGO_", "LDPSITE_")


def clean_environment(**variables: str) -> dict[str, str]:
    """Return the environment as a new user has it: without what the tests, or a developer, have configured."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OURS)} | variables


def lasting_port() -> int:
    """Return a free port that no connection takes while its server is away: the system takes higher ones for them."""
    for port in random.sample(range(20_000, 32_768), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError("none of 100 ports is free")
