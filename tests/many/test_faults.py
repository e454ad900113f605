"""The drill in short: some of each fault that takes seconds."""

import tempfile
from pathlib import Path

import pytest

from tests.many.drill import Drill, Plan

SHORT = Plan(
    kills=4, web_kills=1, database_restarts=1, broker_restarts=1, bucket_restarts=0, bucket_outage=3, slow_bucket=0,
    full_disk=False, clock_ahead=False, copies=3, days=6, batch=200, pause=0.4, threads=2, between=1, patience=120,
)  # fmt: skip


@pytest.mark.many
def test_three_hosts_lose_nothing_and_double_nothing_while_parts_of_them_die() -> None:
    # Not in a folder of pytest's own, into which no other account gets: PostgreSQL refuses to run as root.
    with tempfile.TemporaryDirectory(prefix="ldpsite-many-") as folder:
        Drill(SHORT, Path(folder)).run()
