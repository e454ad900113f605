"""A real web server for tests, on the test database."""

import os
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

from django.conf import settings

from ldpsite.env import BASE_DIR
from tests.workers import Workers, wait_for

METRICS_TOKEN = "a token of twenty-six chars"


class WebServer:
    """gunicorn as we configure it, on the database of the test."""

    def __init__(self, folder: Path, *options: str, queue: str = "none") -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        environment = Workers(queue, folder).environment() | {
            "DJANGO_SETTINGS_MODULE": "tests.settings",  # static files are not collected
            "LDPSITE_SECRET_KEY": settings.SECRET_KEY,
            "LDPSITE_METRICS_TOKEN": METRICS_TOKEN,
            "PROMETHEUS_MULTIPROC_DIR": str(folder / "metrics"),
        }
        self.folder = folder
        command = [sys.executable, "-m", "gunicorn", "--config", "python:ldpsite.gunicorn_config", "--workers", "1"]
        self.log = folder / "gunicorn.log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [*command, "--bind", f"127.0.0.1:{self.port}", *options],
                cwd=BASE_DIR,
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        wait_for(lambda: self.is_ready() or self.process.poll() is not None, timeout=60)
        assert self.process.poll() is None, self.log.read_text(encoding="utf-8")

    def is_ready(self) -> bool:
        try:
            connection = HTTPConnection("127.0.0.1", self.port, timeout=20)
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def worker(self) -> int:
        """The id of the process that answers."""
        (pid,) = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text(encoding="ascii").split()
        return int(pid)

    def kill(self) -> None:
        """All of its processes at once, as a power cut does."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def answer_to(self, sent: bytes) -> bytes:
        """Send bytes as they are; return all that comes back until the connection is closed."""
        with self.connect() as connection:
            connection.sendall(sent)
            return connection.makefile("rb").read()
