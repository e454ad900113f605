"""The clients as shipped, run as programs: requests go in as JSON lines, record lines come out."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Final, Self, cast

from ..registry import Mechanism

_FOLDER: Final = Path(__file__).parent
_ROOT: Final = _FOLDER.parent.parent
_RUNNER_OF_SCRIPT: Final = _FOLDER / "device_runner.mjs"


class ClientError(Exception):
    """A client cannot be started, or does not do what it is asked; says so in words for people."""


@dataclass(frozen=True)
class Client:
    """A client by name, and the command that runs it."""

    name: str
    command: tuple[str, ...]


def python_client(mechanism: Mechanism | None = None) -> Client:
    """The client that this library itself is; one from outside is named, so that its program registers it, too."""
    own = [] if mechanism is None else [f"{type(mechanism).__module__}:{type(mechanism).__qualname__}"]
    return Client("python", (sys.executable, "-m", f"{__package__}.device_runner", *own))


def browser_client(script: Path) -> Client:
    """The client that pages load, under Node.js; raises a ClientError if that is missing."""
    node = shutil.which("node")
    if node is None:
        raise ClientError(
            "The browser's client is run under Node.js, and there is no program `node` here. Install it (Debian:"
            " apt-get install nodejs), or audit the Python client alone: --client python."
        )
    return Client("browser", (node, str(_RUNNER_OF_SCRIPT), str(script)))


class Device:
    """One running client, started anew: what its program seeds at the start it shares with every other such device."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._errors = stack.enter_context(tempfile.TemporaryFile())
            try:
                self._process = subprocess.Popen(
                    self._client.command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    env=os.environ | {"PYTHONPATH": str(_ROOT)},
                    encoding="utf-8",
                    errors="replace",
                )
            except OSError as error:
                raise ClientError(f"The {self._client.name} client cannot be started: {error}") from None
            stack.callback(self._process.communicate)
            stack.callback(self._process.kill)
            self._close = stack.pop_all().close
        self._requests, self._answers = cast(IO[str], self._process.stdin), cast(IO[str], self._process.stdout)
        return self

    def __exit__(self, *error: object) -> None:
        self._close()

    def records(self, mechanism: Mechanism, element: str, runs: int) -> list[str]:
        """Ask for so many reports about an element; returns their lines."""
        request = {
            "algorithm": mechanism.algorithm,
            "parameters": mechanism.encoded_parameters(),
            "dictionary": mechanism.elements,
            "element": element,
            "runs": runs,
        }
        try:
            self._requests.write(json.dumps(request) + "\n")
            self._requests.flush()
        except OSError:
            raise self._failure() from None
        lines = list(islice(self._answers, runs))
        if len(lines) < runs or not lines[-1].endswith("\n"):
            raise self._failure()
        return [line[:-1] for line in lines]

    def _failure(self) -> ClientError:
        self._process.kill()
        self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()[-2000:]
        return ClientError(f"The {self._client.name} client stopped before it had sent all reports. It said:\n{said}")
