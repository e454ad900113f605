"""Processes that a command starts, reads and ends: none is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ldpsite import children
from tests.workers import wait_for

pytestmark = pytest.mark.exact

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux tells children of their parent's death")

SLEEP = ["timeit", "-n", "1", "-r", "1", "__import__('time').sleep(60)"]
DEAF = ["timeit", "-n", "1", "-r", "1", "-s", "import signal as s; [s.signal(n, s.SIG_IGN) for n in (2, 3, 15)]"]


def start(name: str, command: list[str], folder: Path) -> children.Child:
    return children.start(name, command, logs=folder, environment=os.environ, folder=folder)


def test_stops_the_willing_and_the_deaf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "WARM", 0.2)
    monkeypatch.setattr(children, "COLD", 0.1)
    deaf = start("deaf", [*DEAF, "-s", "print('deaf', flush=True)", SLEEP[-1]], tmp_path)
    started = [start("willing", SLEEP, tmp_path), deaf]
    wait_for(deaf.news)
    begin = time.monotonic()
    children.stop(started)
    assert [child.process.returncode for child in started] == [-signal.SIGTERM, -signal.SIGKILL]
    assert time.monotonic() - begin < 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_waits_until_a_child_is_known(tmp_path: Path, number: signal.Signals) -> None:
    events: list[str] = []
    before = signal.signal(number, lambda _number, _frame: events.append("interrupted"))
    try:
        with children.uninterrupted():
            os.kill(os.getpid(), number)
            child = start("willing", SLEEP, tmp_path)
            events.append("known")
        time.sleep(0)
    finally:
        signal.signal(number, before)
    assert events == ["known", "interrupted"]
    # The child itself lets nothing wait.
    child.process.terminate()
    assert child.process.wait(timeout=5) == -signal.SIGTERM


@LINUX
def test_a_child_whose_parent_died_while_it_began_does_not_begin(tmp_path: Path) -> None:
    # Another process than this is its parent: as it is for a child whose own has just been killed.
    with children.uninterrupted():
        child = subprocess.Popen(
            [sys.executable, "-m", *SLEEP],
            cwd=tmp_path,
            preexec_fn=lambda: children.end_with_parent(os.getppid() + 1),  # noqa: PLW1509
        )
    try:
        assert child.wait(timeout=20) == -signal.SIGTERM
    finally:
        child.kill()


def test_what_a_child_prints_is_nobody_elses_to_read_and_begins_anew(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    logs.chmod(0o755)
    before = logs / "web.log"
    before.write_text("of an earlier release\n" * 1000)
    before.chmod(0o644)
    child = start("web", ["timeit", "-n1", "-r1", "-s", "print('one')"], logs)
    child.process.wait()
    assert child.news()[0] == "one"
    assert (child.log.stat().st_mode & 0o777, logs.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_line_is_passed_on_when_it_is_complete(tmp_path: Path) -> None:
    child = start("demo", SLEEP, tmp_path)
    with child.log.open("ab") as log:
        log.write("half of it ☀".encode()[:-1])
        log.flush()
        assert child.news() == []
        log.write("☀\nmore".encode()[2:])
        log.flush()
    assert child.news() == ["half of it ☀"]
    assert child.news() == []
    children.stop([child])


def is_alive(process: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return state.stdout.strip()[:1] not in {"", "Z"}  # Z: it only waits for its end to be noted


def test_a_child_that_is_started_again_leaves_nothing_of_the_first_and_keeps_its_log(tmp_path: Path) -> None:
    """A worker that is killed leaves the processes that it has started."""
    setup = "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
    words = "print(child.pid, flush=True)"
    child = start("worker", ["timeit", "-n", "1", "-r", "1", "-s", f"{setup}; {words}", SLEEP[-1]], tmp_path)
    wait_for(child.log.read_text)
    orphan = int(child.log.read_text())
    child.process.kill()
    child.process.wait()
    assert is_alive(orphan)
    child.start_again()
    try:
        assert not child.is_dead
        wait_for(lambda: child.log.read_text().count("\n") == 2)
        wait_for(lambda: not is_alive(orphan))
    finally:
        children.stop([child])
