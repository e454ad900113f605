"""Requests over connections that stay open, by one thread that takes next to nothing of the server's processor.

Requests are bytes made beforehand; of an answer only the status and the length are looked at.
"""

import selectors
import socket
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

# As many as the web server has threads (2 processes of 8): more would only wait in a queue.
CONNECTIONS = 16
ACCEPTED = b"HTTP/1.1 202 "
_LENGTH = b"Content-Length: "


def request(path: str, body: bytes, headers: dict[str, str]) -> bytes:
    fields = {"Host": "localhost", "Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body


@dataclass
class _Connection:
    """One request at a time."""

    socket: socket.socket
    sent_at: float = 0.0
    received: bytes = b""


@dataclass
class Load:
    """Outcome of sending."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    processor_seconds: float = 0.0

    @property
    def per_second(self) -> float:
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        """The latency in seconds that this share of the requests stays below."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def send(port: int, requests: Iterator[bytes], seconds: float, per_second: float | None = None) -> Load:
    """Send requests for so long: as fast as they are answered, or so many a second.

    With a rate a latency counts from when the request was due, whether a connection was free then or not.
    """
    selector = selectors.DefaultSelector()
    idle = deque(_connect(port, selector) for _ in range(CONNECTIONS))
    everyone, load = list(idle), Load()
    started, cpu = time.perf_counter(), time.process_time()
    sent = 0
    while True:
        now = time.perf_counter()
        running = now - started < seconds
        if not running and len(idle) == CONNECTIONS:
            break
        while running and idle and (per_second is None or now >= started + sent / per_second):
            connection = idle.popleft()  # each in turn: the server closes what is not used for seconds
            connection.sent_at = now if per_second is None else started + sent / per_second
            connection.socket.sendall(next(requests))
            sent += 1
        due = None if per_second is None or not idle or not running else max(0.0, started + sent / per_second - now)
        for key, _events in selector.select(due):
            if _is_answered(key.data):
                load.latencies.append(time.perf_counter() - key.data.sent_at)
                idle.append(key.data)
    load.seconds, load.processor_seconds = time.perf_counter() - started, time.process_time() - cpu
    for connection in everyone:
        connection.socket.close()
    return load


def _connect(port: int, selector: selectors.BaseSelector) -> _Connection:
    connection = _Connection(socket.create_connection(("127.0.0.1", port)))
    connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    selector.register(connection.socket, selectors.EVENT_READ, connection)
    return connection


def _is_answered(connection: _Connection) -> bool:
    """Take in what has come; whether that is the whole answer."""
    connection.received += connection.socket.recv(1 << 16)
    received = connection.received
    end = received.find(b"\r\n\r\n")
    if end < 0 and received:
        return False
    if not received.startswith(ACCEPTED):
        raise RuntimeError(f"The server answers {received[:1000]!r}")
    place = received.find(_LENGTH) + len(_LENGTH)
    if len(received) < end + 4 + int(received[place : received.index(b"\r", place)]):
        return False
    connection.received = b""
    return True
