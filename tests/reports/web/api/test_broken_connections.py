"""Clients that go away in the middle of an upload: at the WSGI interface, and over a real connection."""

import json
import socket
from collections.abc import Callable
from io import BytesIO

import pytest
from pytest_django.live_server_helper import LiveServer

from ldpsite.wsgi import application
from reports.collection.ingest import ENCODINGS, Encoding
from reports.models import ApiToken, Batch
from tests.reports.factories import (
    assert_nothing_left,
    make_version,
    of_records,
    packed,
    record_lines,
)

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

UPLOAD = "/api/v1/batches/"
BODY = of_records(record_lines(5))


def wsgi(body: bytes, length: int, token: str, **more: str) -> tuple[str, bytes]:
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": UPLOAD,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "CONTENT_TYPE": "application/x-ndjson",
        "CONTENT_LENGTH": str(length),
        "HTTP_AUTHORIZATION": token,
        "wsgi.input": BytesIO(body),
        "wsgi.url_scheme": "http",
        "wsgi.errors": BytesIO(),
    } | more
    started: list[str] = []

    def start(status: str, headers: object, error: object = None, /) -> Callable[[bytes], object]:
        started.append(status)
        return BytesIO().write

    response = application(environ, start)
    return started[0], b"".join(response)


@pytest.fixture
def secret(transactional_db: None) -> str:
    make_version()
    _token, secret = ApiToken.create("collector", may_ingest=True)
    return secret


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_body_that_is_cut_short_leaves_nothing(secret: str, encoding: Encoding) -> None:
    whole = packed(BODY + BODY, encoding)
    more = {"HTTP_CONTENT_ENCODING": encoding}
    for cut in (1, 10, 200):
        status, content = wsgi(whole[:-cut], len(whole), f"Bearer {secret}", **more)
        assert status.startswith("400")
        assert json.loads(content)["type"] == "urn:ldpsite:problem:broken-upload"
        assert_nothing_left()
    # Between two documents, what came is valid in itself; only the announced length tells that the rest is missing.
    status, _content = wsgi(packed(BODY, encoding), len(whole), f"Bearer {secret}", **more)
    assert status.startswith("400")
    assert_nothing_left()
    status, _content = wsgi(whole, len(whole), f"Bearer {secret}", **more)
    assert status.startswith("202")


def test_connection_closed_half_way(live_server: LiveServer, secret: str) -> None:
    address = (live_server.thread.host, live_server.thread.port)
    head = (
        f"POST {UPLOAD} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n"
        f"Content-Type: application/x-ndjson\r\nContent-Length: {2 * len(BODY)}\r\nConnection: close\r\n\r\n"
    ).encode()
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(head + BODY)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.makefile("rb").read()
    assert b" 400 " in answer.splitlines()[0]
    assert b"broken-upload" in answer
    assert_nothing_left()
    with socket.create_connection(address, timeout=10) as connection:
        connection.sendall(head + BODY + BODY)
        answer = connection.makefile("rb").read()
    assert b" 202 " in answer.splitlines()[0]
    assert Batch.objects.get().accepted == 10


def test_chunked_over_a_connection(live_server: LiveServer, secret: str) -> None:
    head = (
        f"POST {UPLOAD} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {secret}\r\n"
        "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    ).encode()
    chunks = f"{len(BODY):x}\r\n".encode() + BODY + b"\r\n0\r\n\r\n"
    with socket.create_connection((live_server.thread.host, live_server.thread.port), timeout=10) as connection:
        connection.sendall(head)
        answer = connection.recv(4096)
        connection.sendall(chunks)
    assert b" 411 " in answer.splitlines()[0]
    assert_nothing_left()
