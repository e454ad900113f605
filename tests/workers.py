"""Real Celery workers for tests, on the test database and on the broker that CELERY_BROKER_URL names."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection

from ldpsite.broker import WORKER_OPTIONS
from ldpsite.env import BASE_DIR

READY = 30.0


@dataclass
class Workers:
    """Starts worker processes of one queue; `stop()` ends what is left of them."""

    queue: str
    logs: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, *, concurrency: int = 1, beat: bool = False, include: str = "") -> subprocess.Popen[bytes]:
        """Start a worker and wait until it takes tasks."""
        number = len(self.processes)
        log = self.logs / f"worker-{number}.log"
        command = [sys.executable, "-m", "celery", "-A", "ldpsite", "worker", "--loglevel", "INFO", *WORKER_OPTIONS]
        command += ["--concurrency", str(concurrency), "--hostname", f"{self.queue}-{number}@%h"]
        command += ["--include", include] if include else []
        command += ["--beat", "--schedule", str(self.logs / "beat"), "--include", "tests.hasty_beat"] if beat else []
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, cwd=BASE_DIR, env=self.environment(), stdout=output, stderr=output, start_new_session=True
            )
        self.processes.append(process)
        wait_for(lambda: b" ready." in log.read_bytes() or process.poll() is not None, timeout=READY)
        assert process.poll() is None, log.read_text(encoding="utf-8")
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """End a worker and its processes as `kill -9` or a power cut does."""
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        for process in self.processes:
            self.kill(process)

    def log(self) -> str:
        """Return what all workers have printed."""
        return "\n".join(path.read_text(encoding="utf-8") for path in sorted(self.logs.glob("worker-*.log")))

    def environment(self) -> dict[str, str]:
        return os.environ | {
            "DJANGO_SETTINGS_MODULE": "ldpsite.settings",
            "DATABASE_URL": test_database_url(),
            # The folders of the test that runs, not those of the session: see `isolated_files`.
            "LDPSITE_DATA_DIR": str(Path(settings.LDPSITE_SPOOL_DIR).parent),
            "LDPSITE_SHARD_STORAGE": json.dumps(settings.STORAGES["shards"], default=str),
            "LDPSITE_QUEUE": self.queue,
            "LDPSITE_LOCAL_HTTP": "1",
            "PYTHONUNBUFFERED": "1",
        }


def test_database_url() -> str:
    """Return the database that the running test uses, for another process."""
    database = connection.settings_dict
    user = quote(database["USER"], safe="")
    password = f":{quote(database['PASSWORD'], safe='')}" if database["PASSWORD"] else ""
    host = quote(database["HOST"] or "localhost", safe="")
    return f"postgresql://{user}{password}@{host}:{database['PORT'] or 5432}/{quote(database['NAME'])}"


def wait_for(condition: Callable[[], object], *, timeout: float = 20.0, pause: float = 0.02) -> None:
    """Wait until a condition holds; fail when it does not in time. A question that is dear is asked less often."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"not within {timeout} s")
        time.sleep(pause)
