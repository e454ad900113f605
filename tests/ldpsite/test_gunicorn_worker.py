"""Who sends slowly keeps no thread of the web server, and no connection for long."""

import re
import socket
import time
from contextlib import ExitStack
from http.client import HTTPConnection

import pytest

from ldpsite import gunicorn_config
from ldpsite.gunicorn_worker import BODY_BYTES, BYTES_PER_SECOND, PATIENCE, SteadyUnreader
from reports.models import ApiToken, Batch
from tests.reports.factories import make_version, of_records, record_lines
from tests.web_server import WebServer
from tests.workers import wait_for

pytestmark = [pytest.mark.exact]

SLOW = {
    "nothing": b"",
    "a byte of a header": b"P",
    "half a header": b"POST /api/v1/reports/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n",
    "a byte of a document": b"POST /api/v1/reports/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{",
    "a byte of a form": b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\na",
    "a large form": b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\na",
    "a large document": b"POST /api/v1/reports/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n{",
    "an upload of nobody": b"POST /api/v1/batches/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n{",
    "chunks": b"POST /api/v1/reports/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1",
    "an answer that is not read": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
}


def is_healthy(server: WebServer) -> bool:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE / 2)
    connection.request("GET", "/healthz")
    return connection.getresponse().status == 200


@pytest.mark.django_db(transaction=True)
def test_slow_senders_keep_no_thread(web_server: WebServer) -> None:
    """Three times as many of each kind as there are threads."""
    with ExitStack() as stack:
        for sent in SLOW.values():
            slow = [stack.enter_context(web_server.connect()) for _ in range(3 * gunicorn_config.threads)]
            for connection in slow:
                connection.sendall(sent)
            assert is_healthy(web_server)


@pytest.mark.django_db(transaction=True)
def test_a_request_that_does_not_come_is_given_up(web_server: WebServer) -> None:
    """Drop by drop, or not at all: while the drops come, and others are answered."""
    with web_server.connect() as header, web_server.connect() as body, web_server.connect() as nothing:
        header.sendall(b"GET / HTTP/1.1\r\nX: ")
        body.sendall(SLOW["a byte of a document"])
        deadline = time.monotonic() + 4 * PATIENCE
        for connection in (header, body):
            connection.settimeout(0.5)
            assert first_line(connection, deadline) == b"HTTP/1.1 408 Request Timeout"
        assert nothing.recv(1) == b""
    assert is_healthy(web_server)


def first_line(connection: socket.socket, deadline: float) -> bytes:
    """What comes while one more byte is sent every half a second."""
    while time.monotonic() < deadline:
        try:
            return connection.recv(1000).splitlines()[0]
        except TimeoutError:
            connection.sendall(b"x")
    pytest.fail("it goes on")


@pytest.mark.django_db(transaction=True)
def test_requests_arrive_in_pieces_one_behind_the_other(web_server: WebServer) -> None:
    make_version()
    _token, secret = ApiToken.create("collector", may_ingest=True)
    small, large = of_records(record_lines(5)), of_records(record_lines(BODY_BYTES // 20))
    assert len(large) > BODY_BYTES
    sent = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for body in (small, large):
        sent += (
            f"POST /api/v1/batches/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n"
            f"Content-Type: application/x-ndjson\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode() + body
    sent += b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with web_server.connect() as connection:
        for start in (*range(0, 2000, 100),):
            connection.sendall(sent[start : start + 100])
            time.sleep(0.002)
        connection.sendall(sent[2000:])
        answer = connection.makefile("rb").read()
    assert re.findall(rb"HTTP/1\.1 (\d+) ", answer) == [b"200", b"202", b"202", b"200"]
    assert sorted(Batch.objects.values_list("accepted", flat=True)) == [5, BODY_BYTES // 20]


@pytest.mark.django_db(transaction=True)
def test_who_waits_to_be_asked_for_a_body_is_asked(web_server: WebServer) -> None:
    with web_server.connect() as connection:
        connection.sendall(
            b"POST /api/v1/reports/ HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        )
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 Continue")
        connection.sendall(b"{}")
        wait_for(lambda: b" 415 " in connection.recv(1000))


def test_a_large_body_has_to_keep_a_rate() -> None:
    """Pauses are allowed up to some seconds together; bytes that came make up for them, but not for longer ones."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reader = SteadyUnreader(ours)
        reader.begin(b"")
        reader._left = 0.3  # of PATIENCE
        theirs.sendall(b"x")
        assert reader.chunk() == b"x"
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            reader.chunk()
        assert time.monotonic() - began < PATIENCE / 2
        theirs.sendall(b"x" * BYTES_PER_SECOND)
        for _ in range(100):
            if len(reader.chunk(BYTES_PER_SECOND)) == BYTES_PER_SECOND:
                break
        assert reader._left <= 1.1
        assert ours.gettimeout() is None
