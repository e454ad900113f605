"""Hosts: a folder of its own for each, and the processes in it. They share the servers, and the code."""

import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ldpsite.broker import WORKER_OPTIONS
from ldpsite.env import BASE_DIR
from tests.many.servers import Bucket, Failed, Postgres, Rabbit, is_open, wait_until
from tests.processes import clean_environment, lasting_port

CELERY: Final = (sys.executable, "-m", "celery", "-A", "ldpsite")


@dataclass
class Site:
    """Three servers, and what every process of every host is told about them."""

    folder: Path
    copies: int
    database: Postgres = field(init=False)
    broker: Rabbit = field(init=False)
    bucket: Bucket = field(init=False)
    secret: str = field(default_factory=lambda: secrets.token_hex(32))

    def __post_init__(self) -> None:
        # A server that runs as another account has to get to its folder.
        self.folder.chmod(0o711)
        with ThreadPoolExecutor() as pool:
            broker = pool.submit(Rabbit, self.folder / "broker")
            self.database = Postgres(self.folder / "database")
            self.bucket = Bucket()
            self.broker = broker.result()

    def stop(self) -> None:
        self.broker.stop()
        self.database.kill()
        self.bucket.kill()

    def environment(self, data: Path) -> dict[str, str]:
        return clean_environment(
            DJANGO_SETTINGS_MODULE="tests.many.repeated",
            MANY_COPIES=str(self.copies),
            DATABASE_URL=self.database.url,
            CELERY_BROKER_URL=self.broker.url,
            LDPSITE_SHARD_STORAGE=json.dumps(self.bucket.storage),
            LDPSITE_SECRET_KEY=self.secret,
            LDPSITE_DATA_DIR=str(data),
            LDPSITE_LOCAL_HTTP="1",
            LDPSITE_ALLOWED_HOSTS="127.0.0.1",
            OPENBLAS_NUM_THREADS="1",
            PYTHONUNBUFFERED="1",
        )


@dataclass
class Host:
    """A machine: what is started here finds nothing of other hosts' disks."""

    site: Site
    name: str
    # Before every command, such as one that shifts the clock.
    prefix: tuple[str, ...] = ()
    # Whether its disk is so small that it can be filled, which takes root.
    small_disk: bool = False
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    commands: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder = self.site.folder / self.name
        self.data = self.folder / "var"
        self.data.mkdir(parents=True)
        if self.small_disk:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,mode=700", "tmpfs", self.data], check=True)

    @property
    def environment(self) -> dict[str, str]:
        return self.site.environment(self.data)

    def python(self, module: str, *arguments: str) -> Any:
        """Return the JSON that a module prints. Raises `Failed`."""
        command = [*self.prefix, sys.executable, "-m", module, *arguments]
        done = subprocess.run(command, cwd=BASE_DIR, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f"{module}: {done.stderr[-2000:]}")
        return json.loads(done.stdout)

    def start_worker(self, name: str, *, beat: bool = False) -> None:
        options = (*WORKER_OPTIONS, "--concurrency", "1", "--hostname", f"{name}@{self.name}", "--loglevel", "INFO")
        beating = ("--beat", "--schedule", str(self.folder / "beat")) if beat else ()
        self._start(name, *CELERY, "worker", *options, "--include", "tests.many.hasty", *beating)

    def start_web(self) -> int:
        """Start a web server of two processes; returns its port once it answers."""
        port = lasting_port()
        server = (sys.executable, "-m", "gunicorn", "--config", "python:ldpsite.gunicorn_config", "--workers", "2")
        self._start("web", *server, "--bind", f"127.0.0.1:{port}")
        wait_until(lambda: is_open(port), "the web server answers")
        return port

    def _start(self, name: str, *command: str) -> None:
        self.commands[name] = command
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                [*self.prefix, *command],
                cwd=BASE_DIR, env=self.environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def kill(self, name: str) -> None:
        """End a service, with all of its processes, as a power cut does."""
        with suppress(ProcessLookupError):
            os.killpg(self.running[name].pid, signal.SIGKILL)
        self.running[name].wait()

    def restart(self, name: str) -> None:
        """Kill a service and start it again, as a supervisor does."""
        self.kill(name)
        self._start(name, *self.commands[name])

    def raise_the_dead(self) -> None:
        """Start again what has ended by itself."""
        for name, process in list(self.running.items()):
            if process.poll() is not None:
                self._start(name, *self.commands[name])

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Leave no byte free for a while."""
        ballast = self.data / "ballast"
        with suppress(OSError), ballast.open("wb") as file:
            while True:
                file.write(bytes(1 << 16))
        try:
            yield
        finally:
            ballast.unlink()

    def stop(self) -> None:
        for name in self.running:
            self.kill(name)
        if self.small_disk:
            subprocess.run(["umount", self.data], check=True)
