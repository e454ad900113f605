"""Doors between roles: HTTP on a Unix socket, which the file system guards; https through a proxy from elsewhere.

Nothing is logged of a request, and of an error its kind alone.
"""

import contextlib
import http.client
import json
import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from .refusals import BelowGoal, Refusal, Refused, RoleError, RoundLost

Answering = Callable[[bytes], bytes]
MOST_BYTES: Final = 2**28
"""Limit of a request, which may be the shared parameters of a large model."""
_SECONDS: Final = 120
_LONGEST_NAME: Final = 100
_REFUSED: Final = 409
# How a refusal is told through a door, so that its kind is known on the other side.
_KINDS: Final = {kind.__name__: kind for kind in (RoleError, BelowGoal, RoundLost)}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SECONDS
    server: "Server"

    def do_POST(self) -> None:
        announced = self.headers.get("Content-Length", "")
        if not announced.isascii() or not announced.isdigit() or int(announced) > MOST_BYTES:
            self.close_connection = True
            self._answer(413, b"A request needs its length, within the limit.")
            return
        body = self.rfile.read(int(announced))
        if len(body) < int(announced):
            self.close_connection = True
            return
        answering = self.server.answers.get(self.path)
        if answering is None:
            self._answer(404, b"There is no such thing here.")
            return
        try:
            self._answer(200, answering(body))
        except RoleError as refused:
            self._answer(_REFUSED, json.dumps([type(refused).__name__, str(refused)]).encode())
        except Exception as error:  # noqa: BLE001
            # Its text may hold what was sent.
            print(f"error: {type(error).__name__}", file=sys.stderr, flush=True)
            self._answer(500, b"The request could not be answered.")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response_only(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


class Server(ThreadingUnixStreamServer):
    """Answers requests, each path with a function of the body."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, path: Path, answers: Mapping[str, Answering]) -> None:
        self.answers = answers
        path.unlink(missing_ok=True)
        with _short(path) as name:
            super().__init__(name, _Handler)
        # Who may ask is who may write to the socket: its owner, and the group that its folder gives it.
        path.chmod(0o660)

    def handle_error(self, request: Any, client_address: Any) -> None:
        print(f"error: {type(sys.exception()).__name__}", file=sys.stderr, flush=True)


class Asked(Protocol):
    """A role as others see it: bytes to a path, and bytes from there."""

    def ask(self, path: str, body: bytes = b"") -> bytes: ...


class Door:
    """A role that is another process.

    Parameters
    ----------
    address : str
        ``unix:PATH``, or ``https://…`` of a proxy in front of another machine's socket.
    patience : float
        Seconds for which it may say nothing.
    """

    def __init__(self, address: str, patience: float = _SECONDS) -> None:
        self.address = address
        self._patience = patience

    def ask(self, path: str, body: bytes = b"") -> bytes:
        """Return an answer.

        Raises
        ------
        RoleError
            In the words of the role that refused.
        OSError
            If there is no answer: the role is not there, or ended before it had answered.
        """
        with self._connection() as connection:
            try:
                connection.request("POST", path, body)
                response = connection.getresponse()
                answer = response.read()
            except http.client.HTTPException as error:
                raise ConnectionError(f"{self.address} broke off: {type(error).__name__}") from None
        if response.status == _REFUSED:
            raise _refused(answer)
        if response.status != http.client.OK:
            raise ConnectionError(f"{self.address} answered {response.status}")
        return answer

    @contextlib.contextmanager
    def _connection(self) -> Iterator[http.client.HTTPConnection]:
        parts = urlsplit(self.address)
        connection: http.client.HTTPConnection
        if parts.scheme == "unix":
            connection = _UnixConnection(Path(parts.path), self._patience)
        elif parts.scheme == "https":
            connection = http.client.HTTPSConnection(parts.hostname or "", parts.port, timeout=self._patience)
        else:
            raise RoleError("The address of a role begins with unix: or https://")
        try:
            yield connection
        finally:
            connection.close()


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, patience: float) -> None:
        super().__init__("localhost", timeout=patience)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        with _short(self._path) as name:
            self.sock.connect(name)


def _refused(answer: bytes) -> RoleError:
    kind, words = json.loads(answer)
    return Refused(Refusal(words)) if kind == Refused.__name__ else _KINDS[kind](words)


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """Name a socket within the 100 and some bytes that the system allows for it."""
    if len(os.fsencode(path)) < _LONGEST_NAME:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
