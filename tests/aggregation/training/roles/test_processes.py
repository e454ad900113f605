"""The two trusted processes from outside: no way leads in, nothing of theirs is written, and each may be killed."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import numpy as np
import pytest

from aggregation.training import Examples
from aggregation.training.roles import (
    ROLES,
    Device,
    Refusal,
    RoleError,
    Rounds,
    Statements,
    TrustedProcesses,
    command,
    environment,
    started,
)
from aggregation.training.roles.device_file import InMemory
from ldpsite.env import BASE_DIR
from tests.aggregation.training.roles import memory
from tests.aggregation.training.roles.helpers import SHARED, TINY, configuration_for
from tests.aggregation.training.roles.tiny import CATALOGUE, TASK, TinyWork, people_in

pytestmark = pytest.mark.exact

IS_ROOT = os.geteuid() == 0
MARKER = 1234.4321e-7
"""A number that no device would come to by chance, in single precision."""
MARKS = (
    struct.pack("<f", MARKER),
    struct.pack("<d", float(np.float32(MARKER))),
    f"{np.float32(MARKER)!s}"[:8].encode(),
)


class Run:
    """Both processes in folders of their own, with what they print."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.processes = TrustedProcesses.within(folder)
        for role in ROLES:
            self.start(role)
        self.processes.wait()

    def start(self, role: str) -> None:
        with (self.folder / f"{role}.log").open("ab") as log:
            self.running[role] = subprocess.Popen(
                [sys.executable, "-m", *command(role, self.folder, TINY)],
                cwd=BASE_DIR,
                env=environment(),
                stdout=log,
                stderr=log,
            )

    def kill(self, role: str) -> None:
        self.running[role].kill()
        self.running[role].wait()

    def rounds(self, slug: str = "tiny") -> Rounds:
        task = TASK | {"slug": slug}
        return Rounds(self.processes.aggregator, self.processes.distributor, task, CATALOGUE)

    def device(self, number: int = 0, value: float = 0.1, slug: str = "tiny") -> Device:
        items = np.sort(np.array([number, number + 3], np.int32) % CATALOGUE.items)
        examples = Examples(items, np.full(2, value, np.float32))
        return Device(configuration_for(self.processes, TASK | {"slug": slug}), InMemory(), examples, TinyWork)

    def sealed(self, device: Device, statements: Statements) -> bytes:
        ask = self.processes.distributor.ask
        return device.take_part(statements.aggregator, statements.distributor, lambda asked: ask("/rows", asked))

    def stop(self) -> None:
        for process in self.running.values():
            process.kill()
            process.wait()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Both processes, to be killed."""
    with ExitStack() as stack:
        own = Run(tmp_path)
        stack.callback(own.stop)
        yield own


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Both processes, for tests that leave them alive; each has a task of its own."""
    with ExitStack() as stack:
        own = Run(tmp_path_factory.mktemp("lasting"))
        stack.callback(own.stop)
        yield own


def status(process: int) -> dict[str, str]:
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


@pytest.mark.skipif(sys.platform != "linux", reason="what Linux promises")
def test_nobody_looks_into_a_trusted_process(lasting: Run) -> None:
    for role, process in lasting.running.items():
        said = status(process.pid)
        user = int(said["Uid"].split()[0])
        assert said["NoNewPrivs"] == "1"
        limits = Path(f"/proc/{process.pid}/limits").read_text(encoding="utf-8")
        assert re.search(r"Max core file size\s+0\s+0\s", limits)
        # Owned by root, which is what a process that is not dumpable shows to all others, and to its own user.
        assert Path(f"/proc/{process.pid}/mem").stat().st_uid == 0
        if IS_ROOT:
            assert user == {"aggregator": 64101, "distributor": 64102}[role]
            assert said["Groups"] == ""
        for other in (user, 64103) if IS_ROOT else (None,):
            outcome = memory.tried(process.pid, other)
            assert set(outcome) == set(memory.doors(process.pid))
            assert set(outcome.values()) <= {"Operation not permitted", "Permission denied"}


@pytest.mark.skipif(
    sys.platform != "linux" or not IS_ROOT, reason="a process that does not confine itself is open to its user"
)
def test_the_attempts_succeed_where_nothing_is_confined() -> None:
    with subprocess.Popen(["sleep", "60"], user=64103, group=64103, extra_groups=[], cwd="/") as sleeping:
        assert memory.tried(sleeping.pid, 64103)["attach"] == "open"
        sleeping.kill()


def test_no_core_file_is_left(run: Run) -> None:
    before = set(BASE_DIR.glob("core*")) | set(run.folder.rglob("core*"))
    for process in run.running.values():
        process.send_signal(signal.SIGSEGV)
        assert process.wait() == -signal.SIGSEGV
    assert set(BASE_DIR.glob("core*")) | set(run.folder.rglob("core*")) == before


def test_nothing_of_a_contribution_is_written(lasting: Run) -> None:
    """Markers are looked for in all files of both processes, in their logs, and among temporary files."""
    temporary = Path(tempfile.gettempdir())
    before = {path for path in temporary.iterdir() if path != lasting.folder}
    rounds = lasting.rounds()
    statements = rounds.open(1, {"weights": np.zeros((CATALOGUE.items, 2))})
    messages = [lasting.sealed(lasting.device(number, MARKER), statements) for number in range(15)]
    broken = lasting.sealed(lasting.device(20, MARKER), statements)
    rounds.relay([*messages, *messages[:3], broken[:-1] + b"x", broken + b"x"])
    for door in ("/open", "/add", "/release"):
        with pytest.raises((RoleError, OSError)):
            lasting.processes.aggregator.ask(door, b"\xff" * 9 + MARKS[0])
    released = rounds.release(1)
    assert released.refused == {Refusal.DOUBLE.value: 3, Refusal.LENGTH.value: 1, Refusal.UNOPENABLE.value: 1}
    files = [path for path in lasting.folder.rglob("*") if path.is_file()]
    users = {(lasting.folder / role / "signing-key").stat().st_uid for role in ROLES}
    for path in set(temporary.iterdir()) - before:
        with suppress(FileNotFoundError):  # others' files come and go
            if path.stat().st_uid in users and path.is_file():
                files.append(path)
    names = {path.relative_to(lasting.folder).as_posix() for path in files if path.is_relative_to(lasting.folder)}
    expected = {f"{role}/{name}" for role in ROLES for name in ("signing-key", "opened-rounds")}
    assert names == expected | {f"{role}.log" for role in ROLES}
    for path in files:
        content = path.read_bytes() if path.exists() else b""
        assert not [mark for mark in MARKS if mark in content], path
    # One line each when they start, and nothing after it but kinds of errors.
    for role in ROLES:
        first, *more = (lasting.folder / f"{role}.log").read_text(encoding="utf-8").splitlines()
        assert json.loads(first)["role"] == role
        assert all(re.fullmatch(r"error: \w+", line) for line in more)
    lines = (lasting.folder / "aggregator" / "opened-rounds").read_text(encoding="utf-8").splitlines()
    assert {frozenset(json.loads(line)) for line in lines} == {frozenset(("task", "round"))}


@pytest.mark.skipif(sys.platform != "linux" or not IS_ROOT, reason="root alone reads their memory")
def test_what_root_can_still_do(lasting: Run) -> None:
    """No trusted execution environment: root finds a contribution while it is added. Afterwards its key is gone."""
    mark = struct.pack("<d", float(np.float32(MARKER / 3)))
    rounds = lasting.rounds("root")
    statements = rounds.open(1, {"weights": np.zeros((CATALOGUE.items, 2))})
    assert not memory.found(lasting.running["aggregator"].pid, [mark])
    rounds.relay([lasting.sealed(lasting.device(0, MARKER / 3, "root"), statements)])
    assert mark in memory.found(lasting.running["aggregator"].pid, [mark])


@pytest.mark.skipif(sys.platform != "linux", reason="what Linux tells of open files")
def test_nothing_but_what_is_expected_is_open(lasting: Run) -> None:
    for role, process in lasting.running.items():
        try:
            links = {os.readlink(path) for path in Path(f"/proc/{process.pid}/fd").iterdir()}
        except PermissionError:
            pytest.skip("its user cannot look into it, which is another test")
        folder = lasting.folder / role
        unexpected = {link for link in links if not link.startswith(("socket:", "pipe:", "anon_inode:", "/dev/"))}
        assert unexpected == {str(folder / "opened-rounds"), str(lasting.folder / f"{role}.log")}


@pytest.mark.parametrize("role", ROLES)
def test_a_trusted_process_is_not_started_with_what_is_the_sites(tmp_path: Path, role: str) -> None:
    names = ("CELERY_BROKER_URL", "DATABASE_URL", "DJANGO_SECRET_KEY", "LDPSITE_DATA_DIR")
    assert not set(names) & set(environment())
    with_all = environment() | dict.fromkeys(names, "secret value")
    program = [sys.executable, "-m", *command(role, tmp_path, TINY)]
    ended = subprocess.run(program, cwd=BASE_DIR, env=with_all, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert ", ".join(names) in ended.stderr
    assert "secret value" not in ended.stderr


def test_a_folder_that_others_may_look_into_is_refused(tmp_path: Path) -> None:
    (tmp_path / "aggregator").mkdir(mode=0o755)
    with pytest.raises(RoleError, match="did not start"), started(tmp_path, TINY):
        pass


STARTER = """
import pathlib, sys
from aggregation.training.roles import started
from tests.aggregation.training.roles.helpers import TINY
with started(pathlib.Path(sys.argv[1]), TINY):
    print("started", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux tells a process of its parent's death")
def test_processes_of_one_run_end_with_it_however_it_ends(tmp_path: Path) -> None:
    program = [sys.executable, "-c", STARTER, str(tmp_path)]
    with subprocess.Popen(program, cwd=BASE_DIR, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"started\n"
        processes = [said["process"] for said in TrustedProcesses.within(tmp_path).identities().values()]
        starter.kill()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{process}").exists() for process in processes) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not [process for process in processes if Path(f"/proc/{process}").exists()]


def test_a_killed_distributor_loses_no_round(run: Run) -> None:
    rounds = run.rounds()
    statements = rounds.open(1, SHARED)
    rounds.relay(run.sealed(run.device(number), statements) for number in range(6))
    caught = run.device(20)
    run.kill("distributor")
    with pytest.raises(OSError, match=r".*"):
        run.sealed(caught, statements)
    run.start("distributor")
    run.processes.wait()
    again = rounds.open(1, SHARED)
    assert again.aggregator == statements.aggregator
    # One that was in the middle of it sits the round out: it cannot know what of it was seen.
    with pytest.raises(RoleError, match="this device has seen"):
        run.sealed(caught, again)
    rounds.relay(run.sealed(run.device(number), again) for number in range(6, 12))
    assert people_in(rounds.release(1)) == 12


def test_a_request_that_is_too_long_or_for_nothing_is_refused(lasting: Run) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(str(lasting.folder / "aggregator.socket"))
        door.sendall(b"POST /add HTTP/1.1\r\nContent-Length: 1099511627776\r\n\r\n")
        assert b" 413 " in door.recv(100)
    with pytest.raises(OSError, match="404"):
        lasting.processes.aggregator.ask("/memory")
