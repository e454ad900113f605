"""A gunicorn worker that gives a request a thread once it is there, so that whoever sends slowly keeps none.

gunicorn's own threads wait for header and body, and its main loop for a client to close its side of a connection.
"""

import re
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ
from typing import Any

from gunicorn import http, util
from gunicorn.http.unreader import SocketUnreader
from gunicorn.workers.gthread import TConn, ThreadWorker

# Until then a header has to be there; a body may pause for so long.
PATIENCE = 10.0
# A body that comes more slowly, pauses apart, is cut off.
BYTES_PER_SECOND = 8 << 10
HEADER_BYTES = 64 << 10
# A body of this size is waited for without a thread: every form but that of uploads, and the documents of devices.
BODY_BYTES = 3 << 20
# What a process holds of requests that are not there yet; then those that began first are given up.
HELD_BYTES = 64 << 20
READ_BYTES = 64 << 10
# A connection that ends is open so long for what the client still sends: else the kernel would cut off the answer.
LINGER = 2.0
# What is left of a body after the answer is not waited for.
DRAIN = 0.05

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
            waited = time.monotonic() - began
            self._left = max(min(self._left - waited + len(data) / BYTES_PER_SECOND, PATIENCE), 0.001)
        return data


class Connection(TConn):
    """One that its worker closes, when it ends in order, without waiting for the client."""

    def __init__(self, linger: Callable[[socket.socket], None], *arguments: Any) -> None:
        super().__init__(*arguments)
        self._linger = linger
        self.parser = http.get_parser(self.cfg, self.sock, self.client)
        self.parser.unreader = SteadyUnreader(self.sock)
        # A thread neither waits for the first byte nor makes a parser.
        self.initialized = self.data_ready = True

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
        if length <= BODY_BYTES:
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


class Worker(ThreadWorker):
    """Requests arrive in the main loop, and are answered in threads. For plain HTTP/1.1: a proxy ends TLS."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # In the order in which they began.
        self._arrivals: dict[Arrival, None] = {}
        self._lingering: dict[socket.socket, float] = {}

    def accept(self, listener: socket.socket) -> None:
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        self.nr_conns += 1
        self.enqueue_req(Connection(self._linger, self.cfg, client, address, listener.getsockname()))
        if self.nr_conns >= self.worker_connections:
            self._give_up(next(iter(self._arrivals), None))

    def enqueue_req(self, conn: Connection) -> None:
        """Wait for the request. gunicorn calls this for new connections, and for kept ones on which something comes."""
        conn.sock.setblocking(False)
        arrival = Arrival(conn)
        arrival.receive(conn.parser.unreader.take_buffered())
        self._arrivals[arrival] = None
        self.poller.register(conn.sock, EVENT_READ, partial(self._receive, arrival))
        self._go_on(arrival)

    def _receive(self, arrival: Arrival, sock: socket.socket) -> None:
        try:
            data = sock.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            arrival.receive(data)
            self._go_on(arrival)
        elif arrival.header_is_there:
            self._hand_over(arrival)  # cut short, which the application says
        else:
            self._give_up(arrival)
        while sum(len(other.data) for other in self._arrivals) > HELD_BYTES:
            self._give_up(next(iter(self._arrivals)))

    def _go_on(self, arrival: Arrival) -> None:
        if arrival.is_there:
            self._hand_over(arrival)
        elif arrival.is_too_long:
            self._give_up(arrival, 431, "Request Header Fields Too Large")

    def _hand_over(self, arrival: Arrival) -> None:
        conn = arrival.connection
        del self._arrivals[arrival]
        self.poller.unregister(conn.sock)
        conn.parser.unreader.begin(bytes(arrival.data))
        super().enqueue_req(conn)

    def _give_up(self, arrival: Arrival | None, status: int = 0, reason: str = "") -> None:
        if arrival is None:
            return
        conn = arrival.connection
        del self._arrivals[arrival]
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        if status:
            with suppress(OSError):
                util.write_error(conn.sock, status, reason, "")
        conn.close()

    def murder_pending(self) -> None:
        """Give up what takes too long. gunicorn calls this once a second at least."""
        super().murder_pending()
        now = time.monotonic()
        for arrival in list(self._arrivals):
            if arrival.data and now > arrival.deadline:
                self._give_up(arrival, 408, "Request Timeout")
            elif not arrival.data and (now > arrival.deadline or not self.alive):
                self._give_up(arrival)
        for sock, deadline in list(self._lingering.items()):
            if now > deadline:
                self._end(sock)

    def _keepalive_after(self, conn: Connection, keepalive: bool) -> bool:
        return bool(keepalive and conn.parser.finish_body(deadline=time.monotonic() + DRAIN))

    def _linger(self, sock: socket.socket) -> None:
        try:
            sock.shutdown(socket.SHUT_WR)
        except OSError:
            util.close(sock)
            return
        sock.setblocking(False)
        self._lingering[sock] = time.monotonic() + LINGER
        self.poller.register(sock, EVENT_READ, self._discard)

    def _discard(self, sock: socket.socket) -> None:
        try:
            data = sock.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._end(sock)

    def _end(self, sock: socket.socket) -> None:
        del self._lingering[sock]
        self.poller.unregister(sock)
        util.close(sock)
