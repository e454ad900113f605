"""Requests on their way to gunicorn's worker, and answers to them: how long one may take, and when it is there."""

import errno
import re
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gunicorn import http, util
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import TConn

from ldpsite.body_sizes import SMALL_BODY_BYTES

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# Until then a header has to be there; a body may pause for so long, and so may who reads an answer.
PATIENCE = 10.0
# A body that comes more slowly, pauses apart, is cut off, and so is an answer that is read more slowly.
BYTES_PER_SECOND = 8 << 10
HEADER_BYTES = 64 << 10

_CONTENT_LENGTH = re.compile(rb"\r\ncontent-length[ \t]*:[ \t]*(\d{1,19})[ \t]*(?=\r\n)", re.IGNORECASE)
_EXPECTS = re.compile(rb"\r\nexpect[ \t]*:[ \t]*100-continue[ \t]*\r\n", re.IGNORECASE)


class SteadyUnreader(SocketUnreader):
    """Reads a body that is too large to be waited for, and raises `TimeoutError` when it comes too slowly.

    Only the time that reading waits is counted, not what the reader does in between.
    """

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        self._left = PATIENCE

    def begin(self, data: bytes) -> None:
        self.unread(data)
        self._left = PATIENCE

    def chunk(self, size_hint: int | None = None) -> bytes:
        before = self.sock.gettimeout()
        self.sock.settimeout(self._left if before is None else min(self._left, before))
        began = time.monotonic()
        data = b""
        try:
            data = bytes(super().chunk(size_hint))
        finally:
            self.sock.settimeout(before)
            self._left = _still_left(self._left, began, len(data))
        return data


class SteadySocket(socket.socket):
    """Sends answers, and raises `BrokenPipeError` when they are read too slowly, as if the client had left."""

    _left = PATIENCE

    def sendall(self, data: "ReadableBuffer", flags: int = 0) -> None:
        before, unsent = self.gettimeout(), memoryview(data)
        try:
            while unsent:
                self.settimeout(self._left if before is None else min(self._left, before))
                began = time.monotonic()
                sent = self.send(unsent, flags)
                self._left = _still_left(self._left, began, sent)
                unsent = unsent[sent:]
        except TimeoutError as error:
            raise BrokenPipeError(errno.EPIPE, "The answer is not read.") from error
        finally:
            self.settimeout(before)


def _still_left(left: float, began: float, moved: int) -> float:
    """Return the seconds that may still be waited: waiting takes from them, and bytes that moved give back."""
    return max(min(left - (time.monotonic() - began) + moved / BYTES_PER_SECOND, PATIENCE), 0.001)


class Connection(TConn):
    """One that its worker closes, when it ends in order, without waiting for the client."""

    def __init__(self, linger: Callable[[socket.socket], None], *arguments: Any) -> None:
        super().__init__(*arguments)
        self._linger = linger
        self.parser = http.get_parser(self.cfg, self.sock, self.client)
        self.parser.unreader = SteadyUnreader(self.sock)
        # A thread neither waits for the first byte nor makes a parser.
        self.initialized = self.data_ready = True
        # Bytes of the request that is being answered, as far as it was waited for.
        self.held = 0

    def close(self, graceful: bool = False) -> None:
        if graceful:
            self._linger(self.sock)
        else:
            util.close(self.sock)


class Arrival:
    """A request on its way."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.data = bytearray()
        self.deadline = time.monotonic() + PATIENCE
        self.header_is_there = False
        # Bytes that have to be there, once that is known.
        self._wanted = 0

    def receive(self, data: bytes) -> None:
        searched = max(0, len(self.data) - 3)
        self.data += data
        if self.header_is_there:
            return
        end = self.data.find(b"\r\n\r\n", searched)
        if end >= 0:
            self.header_is_there = True
            self._expect_body(bytes(self.data[: end + 4]))

    def _expect_body(self, header: bytes) -> None:
        found = _CONTENT_LENGTH.search(header)
        length = int(found[1]) if found else 0
        self._wanted = len(header)
        if length <= SMALL_BODY_BYTES:
            self._wanted += length
            self.deadline = time.monotonic() + PATIENCE + length / BYTES_PER_SECOND
            if not self.is_there and _EXPECTS.search(header):
                with suppress(OSError):
                    self.connection.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    @property
    def is_there(self) -> bool:
        return self.header_is_there and len(self.data) >= self._wanted

    @property
    def is_too_long(self) -> bool:
        return not self.header_is_there and len(self.data) > HEADER_BYTES
