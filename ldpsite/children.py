"""Processes that `manage.py run` starts, watches, and never leaves behind."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ldpsite.log_files import open_log

WARM = 1.0
"""Seconds a child has to finish what it is doing. A polling Celery worker would take 6 for an empty shutdown."""

COLD = 0.7
"""Seconds until what is left is killed."""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let signals wait, so that no child is started and then not known to the code that stops it.

    By their handlers: a signal that this thread blocks would arrive in another, and its handler would run here.
    """
    came: list[int] = []
    endings = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda number, _frame: came.append(number)) for number in endings}
    try:
        yield
    finally:
        for ending, handler in before.items():
            signal.signal(ending, handler)
        for late in came:
            signal.raise_signal(late)


@dataclass
class Child:
    """One process, the leader of a group of its own, with its output in a log file."""

    name: str
    log: Path
    begin: Callable[[], subprocess.Popen[bytes]]
    process: subprocess.Popen[bytes] = field(init=False)
    _told: int = 0

    def __post_init__(self) -> None:
        self.process = self.begin()

    @property
    def is_dead(self) -> bool:
        return self.process.poll() is not None

    def start_again(self) -> None:
        """Start it once more after it died. Its log goes on."""
        self.kill_group()
        with uninterrupted():
            self.process = self.begin()

    def kill_group(self) -> None:
        """End what the process has started: a worker's processes outlive it when it was killed."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def news(self) -> list[str]:
        """Return the lines that it has printed since the last call; one that is not complete waits."""
        with self.log.open("rb") as log:
            log.seek(self._told)
            text = log.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._told += len(whole)
        return whole.decode(errors="replace").splitlines()


def start(name: str, command: Sequence[str], *, logs: Path, environment: Mapping[str, str], folder: Path) -> Child:
    path = logs / f"{name}.log"
    with open_log(path) as log:
        log.truncate(0)

    def begin() -> subprocess.Popen[bytes]:
        with open_log(path) as log:
            # A session of its own: Ctrl-C and a closed terminal reach `run` alone, which then ends its children in
            # order.
            return subprocess.Popen(
                [sys.executable, "-m", *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
                # `run` has no other threads that could hold a lock at the fork.
                preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509
            )

    return Child(name, path, begin)


def tail(log: Path, lines: int = 20) -> str:
    """Return the last lines of a log."""
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def stop(children: Iterable[Child]) -> None:
    """End the children and all that they have started, within some three seconds."""
    alive = [child for child in children if not child.is_dead]
    for how, patience in ((signal.SIGTERM, WARM), (signal.SIGQUIT, COLD)):
        for child in alive:
            with contextlib.suppress(ProcessLookupError):
                child.process.send_signal(how)
        alive = _still_alive(alive, patience)
    for child in children:
        child.kill_group()  # also that of a dead leader


def _still_alive(children: list[Child], patience: float) -> list[Child]:
    deadline = time.monotonic() + patience
    while children and time.monotonic() < deadline:
        time.sleep(0.02)
        children = [child for child in children if not child.is_dead]
    return children


# Loaded here, because the code between fork and exec should do as little as it can.
_LIBC: ctypes.CDLL | None = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """Have the kernel send SIGTERM when `run` is killed with -9 (Linux; elsewhere such children stay).

    Called by the child before it becomes another program. Until then a handler of the parent's would take the signal,
    and a parent that is dead already has none sent.
    """
    if _LIBC is not None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)
