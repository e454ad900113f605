"""A gunicorn worker that gives a request a thread once it is there, so that slow senders keep none.

gunicorn's own threads wait for header and body, and its main loop for a client to close its side of a connection.
"""

import errno
import socket
import time
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import ThreadWorker

from ldpsite.gunicorn_requests import Arrival, Connection, SteadySocket

# Bytes that a process holds of requests that are not there yet; then those that began first are given up. Also the
# bytes of requests that are there and not answered; then further ones are refused, unless they fit into one piece.
HELD_BYTES = 64 << 20
READ_BYTES = 64 << 10
# The answer to a refused one.
TOO_MANY = "More requests wait here than the server can hold. Send the same again in a minute."
# A connection that ends is open so long for what the client still sends: else the kernel would cut off the answer.
LINGER = 2.0
# The rest of a body after the answer is not waited for.
DRAIN = 0.05
# The process, or the machine, may open no more files, or has no memory for one.
_NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
# While threads hold all files, one more is not asked for all the time.
_NO_ROOM_PAUSE = 0.05


class Worker(ThreadWorker):
    """Requests arrive in the main loop, and are answered in threads. For plain HTTP/1.1: a proxy ends TLS."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # In the order in which they began; `nr_conns` counts both.
        self._arrivals: dict[Arrival, None] = {}
        self._lingering: dict[socket.socket, float] = {}
        self._arriving_bytes = 0
        self._handed_over_bytes = 0

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        # New connections last: they may end one whose request is there and has not been read.
        for key, _events in sorted(self.poller.select(timeout), key=lambda event: event[0].fileobj in self.sockets):
            # An event before it may have ended the connection, and another one may have its number by now.
            if self.poller.get_map().get(key.fd) is not key:
                continue
            try:
                key.data(key.fileobj)
            except Exception:
                self.log.exception("A connection failed")
                if isinstance(key.fileobj, socket.socket):
                    self._drop(key.fileobj)
        if self.nr_conns >= self.worker_connections:
            self._make_room()

    def accept(self, listener: socket.socket) -> None:
        try:
            accepted, address = listener.accept()
        except OSError as error:  # of a client that has left already, most of the time
            if error.errno in _NO_ROOM and not self._make_room():
                time.sleep(_NO_ROOM_PAUSE)
            return
        client = SteadySocket(fileno=accepted.detach())
        self.nr_conns += 1
        try:
            self.enqueue_req(Connection(self._linger, self.cfg, client, address, listener.getsockname()))
        except BaseException:
            self._drop(client)
            raise

    def _make_room(self) -> bool:
        """End the oldest connection on which nothing is being answered, if there is any, but not the newest request.

        Nothing of that one may have been read yet. Without room gunicorn accepts none until a thread is done.
        """
        if self._lingering:
            self._end(next(iter(self._lingering)))
        elif len(self._arrivals) > 1:
            self._give_up(next(iter(self._arrivals)))
        elif self.keepalived_conns:
            self.keepalived_conns[0].timeout = 0
            self.murder_keepalived()
        else:
            return False
        return True

    def enqueue_req(self, conn: Connection) -> None:
        """Wait for the request. gunicorn calls this for new connections, and for kept ones on which something comes."""
        conn.sock.setblocking(False)
        arrival = Arrival(conn)
        self.poller.register(conn.sock, EVENT_READ, partial(self._receive, arrival))
        self._arrivals[arrival] = None
        self._add(arrival, conn.parser.unreader.take_buffered())

    def _receive(self, arrival: Arrival, sock: socket.socket) -> None:
        data = _received(sock)
        if data is None:
            return
        if data:
            self._add(arrival, data)
        elif arrival.header_is_there:
            self._hand_over(arrival)  # cut short, which the application says
        else:
            self._give_up(arrival)

    def _add(self, arrival: Arrival, data: bytes) -> None:
        self._arriving_bytes += len(data)
        arrival.receive(data)
        if arrival.is_there:
            self._hand_over(arrival)
        elif arrival.is_too_long:
            self._give_up(arrival, 431, "Request Header Fields Too Large")
        while self._arriving_bytes > HELD_BYTES:
            self._give_up(next(iter(self._arrivals)))

    def _hand_over(self, arrival: Arrival) -> None:
        conn, size = arrival.connection, len(arrival.data)
        if size > READ_BYTES and self._handed_over_bytes + size > HELD_BYTES:
            self._give_up(arrival, 503, "Service Unavailable", TOO_MANY)
            return
        self._forget(arrival)
        conn.parser.unreader.begin(bytes(arrival.data))
        super().enqueue_req(conn)
        conn.held = size
        self._handed_over_bytes += size

    def finish_request(self, conn: Connection, fs: Future[bool]) -> None:
        self._handed_over_bytes -= conn.held
        conn.held = 0
        super().finish_request(conn, fs)

    def _forget(self, arrival: Arrival) -> None:
        del self._arrivals[arrival]
        self._arriving_bytes -= len(arrival.data)
        self.poller.unregister(arrival.connection.sock)

    def _give_up(self, arrival: Arrival, status: int = 0, reason: str = "", words: str = "") -> None:
        self._forget(arrival)
        self.nr_conns -= 1
        if status:
            with suppress(OSError):
                util.write_error(arrival.connection.sock, status, reason, words)
        arrival.connection.close()

    def _drop(self, sock: socket.socket) -> None:
        """End a connection on which something unforeseen happened."""
        arrival = next((each for each in self._arrivals if each.connection.sock is sock), None)
        if arrival is not None:
            self._give_up(arrival)
        elif sock in self._lingering:
            self._end(sock)
        else:
            with suppress(KeyError, ValueError):
                self.poller.unregister(sock)
            self.nr_conns -= 1
            util.close(sock)

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
            sock.setblocking(False)
            self.poller.register(sock, EVENT_READ, self._discard)
        except (OSError, ValueError):  # it is closed already
            util.close(sock)
            return
        self._lingering[sock] = time.monotonic() + LINGER
        self.nr_conns += 1

    def _discard(self, sock: socket.socket) -> None:
        if _received(sock) == b"":
            self._end(sock)

    def _end(self, sock: socket.socket) -> None:
        del self._lingering[sock]
        self.poller.unregister(sock)
        self.nr_conns -= 1
        util.close(sock)


def _received(sock: socket.socket) -> bytes | None:
    """Read what has come; empty if the connection has ended, None if nothing has come yet."""
    try:
        return sock.recv(READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""
