"""Starting the two trusted processes, and finding them: each has a folder of its own and a socket beside it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from . import aggregating, distributing
from .confinement import environment
from .doors import Door
from .refusals import RoleError

ROLES: Final = (aggregating.ROLE, distributing.ROLE)
_PATIENCE: Final = 30.0
_ROOT: Final = Path(__file__).resolve().parents[3]
_PACKAGE: Final = __name__.rpartition(".")[0]
PROGRAMS: Final[Mapping[str, Sequence[str]]] = {role: [f"{_PACKAGE}.{role}"] for role in ROLES}


def command(role: str, folder: Path, programs: Mapping[str, Sequence[str]] = PROGRAMS) -> list[str]:
    """Return what follows ``python -m`` to start a role, with `confinement.environment` as its environment."""
    return [*programs[role], "--folder", str(folder / role), "--socket", str(folder / f"{role}.socket")]


@dataclass(frozen=True)
class TrustedProcesses:
    """Both processes, as the server reaches them."""

    aggregator: Door
    distributor: Door

    @classmethod
    def within(cls, folder: Path) -> "TrustedProcesses":
        """Return those that `command` starts with the same folder, on this machine."""
        return cls(*(Door(f"unix:{folder / f'{role}.socket'}") for role in ROLES))

    def identities(self) -> dict[str, dict[str, Any]]:
        """Return what each says of itself: role, code, verifying key, protections. Nothing here is proof of it.

        Raises an OSError if one of them is not there.
        """
        return {
            role: json.loads(door.ask("/identity"))
            for role, door in zip(ROLES, (self.aggregator, self.distributor), strict=True)
        }

    def wait(self, patience: float = _PATIENCE) -> dict[str, dict[str, Any]]:
        """Return their identities as soon as both are there."""
        deadline = time.monotonic() + patience
        while True:
            try:
                return self.identities()
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)


@contextmanager
def started(folder: Path, programs: Mapping[str, Sequence[str]] = PROGRAMS) -> Iterator[TrustedProcesses]:
    """Have both processes for as long as a block lasts, as one command on one machine needs them."""
    children: list[subprocess.Popen[bytes]] = []
    try:
        for role in ROLES:
            children += [_start([*command(role, folder, programs), "--parent", str(os.getpid())])]
        processes = TrustedProcesses.within(folder)
        while all(child.poll() is None for child in children):
            try:
                processes.wait(patience=0)
                break
            except OSError:
                time.sleep(0.02)
        if any(child.poll() is not None for child in children):
            raise RoleError("A trusted process did not start; its reason stands on the standard error.")
        yield processes
    finally:
        for child in children:
            child.terminate()
        for child in children:
            child.wait()


def _start(arguments: list[str]) -> subprocess.Popen[bytes]:
    program = [sys.executable, "-m", *arguments]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(program, cwd=_ROOT, env=environment(), stdin=quiet, stdout=quiet)
