"""`make run`'s command: its children, and that nothing outlives it."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from ldpsite import children, embedded
from ldpsite.env import BASE_DIR
from ldpsite.management.commands import run
from tests.processes import clean_environment
from tests.workers import wait_for

SLEEP = ["timeit", "-n", "1", "-r", "1", "__import__('time').sleep(60)"]
DEAF = ["timeit", "-n", "1", "-r", "1", "-s", "import signal as s; [s.signal(n, s.SIG_IGN) for n in (2, 3, 15)]"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def start(name: str, command: list[str], folder: Path) -> children.Child:
    return children.start(name, command, logs=folder, environment=os.environ, folder=folder)


@pytest.mark.exact
def test_stops_the_willing_and_the_deaf(folder: Path) -> None:
    started = [start("willing", SLEEP, folder), start("deaf", [*DEAF, SLEEP[-1]], folder)]
    time.sleep(0.3)
    begin = time.monotonic()
    children.stop(started)
    assert all(child.is_dead for child in started)
    assert time.monotonic() - begin < 3


@pytest.mark.exact
def test_a_dead_child_is_reported_with_its_last_words(folder: Path) -> None:
    child = start("web", ["timeit", "raise SystemExit('port on fire')"], folder)
    child.process.wait()
    with pytest.raises(CommandError, match=r"The web process ended(.|\n)*port on fire"):
        run.require_alive([child])


@pytest.mark.exact
def test_a_taken_port_is_said_clearly() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=rf"Port {port} cannot be used \(.+\)\..* make run PORT=8001"):
            call_command("run", port=port)


class Site:
    """A whole site, started as `make run` does, in a data folder of its own and with its own embedded database."""

    def __init__(self, data_dir: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.data_dir = data_dir
        self.output = data_dir.parent / "output"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "run", "--port", str(self.port)],
                cwd=BASE_DIR,
                env=clean_environment(LDPSITE_DATA_DIR=str(data_dir), DEMO_REPORTS="2000"),
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def said(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def wait_until_ready(self) -> None:
        address = f"http://127.0.0.1:{self.port}/"
        wait_for(lambda: address in self.said() or self.process.poll() is not None, timeout=120)
        assert self.process.poll() is None, self.said()

    def descendants(self) -> list[str]:
        """List every process that works in this data folder, or for this port: whoever started it."""
        listed = subprocess.run(["ps", "axwwe", "-o", "pid=,args="], capture_output=True, text=True, check=True).stdout
        return [line for line in listed.splitlines() if f"LDPSITE_DATA_DIR={self.data_dir}" in line]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path / "var")
    yield made
    if made.process.poll() is None:
        made.process.kill()
    made.process.wait()
    with embedded.database(made.data_dir):
        pass
    embedded.remove(made.data_dir)


@pytest.mark.server
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_serves_and_ends_without_orphans(site: Site, number: signal.Signals) -> None:
    site.wait_until_ready()
    with urllib.request.urlopen(f"http://127.0.0.1:{site.port}/healthz", timeout=5) as response:
        assert response.status == 200
    begin = time.monotonic()
    site.process.send_signal(number)
    site.process.wait(timeout=20)
    assert time.monotonic() - begin < 6
    assert site.descendants() == []


@pytest.mark.server
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux tells children of their parent's death")
def test_killed_it_still_leaves_no_orphans(site: Site) -> None:
    site.wait_until_ready()
    site.process.kill()
    wait_for(lambda: not site.descendants(), timeout=15)


@pytest.mark.server
def test_ends_when_a_child_dies(site: Site) -> None:
    site.wait_until_ready()
    web = next(line for line in site.descendants() if re.search(r"-m gunicorn", line))
    os.kill(int(web.split()[0]), signal.SIGKILL)
    assert site.process.wait(timeout=20) == 1
    assert "The web process ended" in site.said()
    assert site.descendants() == []
