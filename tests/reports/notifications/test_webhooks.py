"""Posting to a real server: signed, to allowed hosts alone, no redirect followed, and no longer than the limit."""

import hashlib
import hmac
import socket
import threading
import time
import uuid
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from pytest_django import Settings

from reports.notifications import webhooks
from reports.notifications.delivery_problems import NotSent
from tests.reports.notifications.conftest import Receiver

pytestmark = pytest.mark.exact


def problem(address: str) -> tuple[str, bool]:
    with pytest.raises(NotSent) as raised:
        webhooks.post(address, b"{}", "secret")
    return raised.value.problem, raised.value.left


def test_it_arrives_with_its_signature(receiver: Receiver) -> None:
    webhooks.post(receiver.address, b'{"a": 1}', "secret")
    ((path, headers, body),) = receiver.requests
    assert path == "/news?team=a%20b"
    assert body == b'{"a": 1}'
    assert headers["Content-Type"] == "application/json"
    timestamp = headers["X-LDPSITE-Timestamp"]
    assert 0 <= time.time() - int(timestamp) < 60
    expected = hmac.new(b"secret", timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    assert headers["X-LDPSITE-Signature"] == f"sha256={expected}"


def test_what_is_sent_again_is_signed_with_its_own_time(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for moment in (1_700_000_000.9, 1_700_000_301.0):
        monkeypatch.setattr(webhooks, "time", lambda moment=moment: moment)
        webhooks.post(receiver.address, b"{}", "secret")
    stamps = [headers["X-LDPSITE-Timestamp"] for _, headers, _ in receiver.requests]
    assert stamps == ["1700000000", "1700000301"]
    assert len({headers["X-LDPSITE-Signature"] for _, headers, _ in receiver.requests}) == 2


def test_every_subscription_has_a_secret_of_its_own(settings: Settings) -> None:
    one, other = uuid.uuid4(), uuid.uuid4()
    secrets = {webhooks.secret_of(one), webhooks.secret_of(other)}
    settings.SECRET_KEY = "another"
    secrets.add(webhooks.secret_of(one))
    assert len(secrets) == 3


@pytest.mark.parametrize("status", [301, 307])
def test_redirects_are_not_followed(receiver: Receiver, status: int) -> None:
    receiver.status, receiver.headers = status, {"Location": receiver.address.replace("news", "elsewhere")}
    assert problem(receiver.address) == ("redirected", True)
    assert len(receiver.requests) == 1


@pytest.mark.parametrize("status", [400, 500])
def test_refusals(receiver: Receiver, status: int) -> None:
    receiver.status = status
    assert problem(receiver.address) == ("refused", True)


def test_the_answer_is_not_read(receiver: Receiver) -> None:
    """However long it claims to be."""
    receiver.status, receiver.headers, receiver.body = 200, {"Content-Length": "1000000000000"}, b"x"
    webhooks.post(receiver.address, b"{}", "secret")
    assert len(receiver.requests) == 1


def drip(over: threading.Event) -> Callable[[BaseHTTPRequestHandler], None]:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not over.wait(0.02):
            try:
                handler.wfile.write(b"X")
            except OSError:
                return

    return answer


def wait(over: threading.Event) -> None:
    over.wait(30)


def test_a_slow_server_is_left_in_time(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that says nothing, and one that goes on saying a little."""
    monkeypatch.setattr(webhooks, "SECONDS", 0.2)
    over = threading.Event()
    try:
        receiver.instead = lambda _handler: wait(over)
        assert problem(receiver.address) == ("too_slow", True)
        receiver.instead = drip(over)
        assert problem(receiver.address) == ("too_slow", True)
    finally:
        over.set()


def test_a_server_that_never_agrees_on_a_key(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is taken by the system, and stays silent."""
    monkeypatch.setattr(webhooks, "SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"https://127.0.0.1:{silent.getsockname()[1]}/"
        settings.LDPSITE_WEBHOOK_HOSTS = [address]
        assert problem(address) == ("too_slow", False)


def test_a_slow_resolver(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "SECONDS", 0.2)
    over = threading.Event()

    def resolve(*_args: object, **_named: object) -> list[object]:
        wait(over)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    try:
        assert problem(receiver.address) == ("too_slow", False)
    finally:
        over.set()


def test_a_host_without_an_address(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_args: object, **_named: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert problem(receiver.address) == ("not_reached", False)


def test_a_connection_that_comes_too_late_sends_nothing(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the addresses of a host together take longer than all may take."""
    monkeypatch.setattr(webhooks, "SECONDS", 0.1)
    connect, over, connected = socket.create_connection, threading.Event(), threading.Event()

    def late(*arguments: Any) -> socket.socket:
        wait(over)
        connected.set()
        return connect(*arguments)

    monkeypatch.setattr(socket, "create_connection", late)
    assert problem(receiver.address) == ("too_slow", False)
    over.set()
    connected.wait(30)
    for thread in threading.enumerate():
        if isinstance(thread, webhooks._Exchange):
            thread.join(30)
    assert not receiver.requests


def test_where_nobody_listens(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    settings.LDPSITE_WEBHOOK_HOSTS = [f"http://127.0.0.1:{port}"]
    assert problem(f"http://127.0.0.1:{port}/") == ("not_reached", False)


def test_a_host_that_is_not_on_the_list_is_not_asked(receiver: Receiver, settings: Settings) -> None:
    settings.LDPSITE_WEBHOOK_HOSTS = ["hooks.example.org"]
    assert problem(receiver.address) == ("host_not_allowed", False)
    assert not receiver.requests


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("https://hooks.example.org/a", True),
        ("https://HOOKS.example.org:443/a?b=c", True),
        ("https://other.example.org:8443/", True),
        ("http://127.0.0.1:8099/x", True),
        ("http://hooks.example.org/a", False),
        ("https://hooks.example.org:8443/", False),
        ("https://hooks.example.org.evil.example/", False),
        ("https://evil.example/hooks.example.org", False),
        ("https://hooks.example.org@evil.example/", False),
        ("https://user:password@hooks.example.org/", False),
        ("https://sub.hooks.example.org/", False),
        ("https://other.example.org/", False),
        ("http://127.0.0.1:8098/x", False),
        ("ftp://hooks.example.org/", False),
        ("https://hooks.example.org:port/", False),
        ("https:///a", False),
        ("hooks.example.org", False),
        ("", False),
    ],
)
def test_which_addresses_are_allowed(address: str, allowed: bool, settings: Settings) -> None:
    settings.LDPSITE_WEBHOOK_HOSTS = ["hooks.example.org", "other.example.org:8443", "http://127.0.0.1:8099"]
    assert webhooks.is_allowed(address) is allowed


def test_an_empty_list_allows_nothing(settings: Settings) -> None:
    settings.LDPSITE_WEBHOOK_HOSTS = []
    assert not webhooks.is_allowed("https://hooks.example.org/")
    assert not webhooks.allowed_origins()
