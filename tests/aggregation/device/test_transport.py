"""Real requests to a real server: what is in them, and what is not followed."""

import socketserver
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from aggregation.device import Answer, DeviceError
from aggregation.device.transport import CONFIGURATION, REPORTS, address, request

pytestmark = pytest.mark.exact


@dataclass
class Site:
    url: str
    status: int = 202
    body: bytes = b"answer"
    # Bytes that are announced and do not come.
    missing: int = 0
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def site() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            there.requests.append((self.command, self.path, dict(self.headers), body))
            self.send_response(there.status)
            self.send_header("Location", "/elsewhere/device-7/")
            self.send_header("Set-Cookie", "device=7")
            self.send_header("Content-Length", str(len(there.body) + there.missing))
            self.end_headers()
            self.wfile.write(there.body)

        do_GET = do_POST = answer  # noqa: N815 - names that the library asks for

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    there = Site(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield there
    server.shutdown()
    thread.join()
    server.server_close()


def test_only_what_is_needed_is_sent(site: Site) -> None:
    """No agent, no cookie, also not after the server has set one."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": "00ff"}
    for _ in range(2):
        assert request("POST", address(site.url, REPORTS), headers, b"{}") == Answer(202, b"answer")
    host = site.url.removeprefix("http://")
    expected = {**headers, "Host": host, "Accept-Encoding": "identity", "Content-Length": "2"}
    assert site.requests == [("POST", "/api/v1/reports/", expected, b"{}")] * 2
    assert request("GET", address(site.url, CONFIGURATION), {}, None) == Answer(202, b"answer")
    fetched = {"Host": host, "Accept-Encoding": "identity"}
    assert site.requests[2:] == [("GET", "/api/v1/device-configuration/", fetched, b"")]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(site: Site, status: int) -> None:
    site.status = status
    for method, body in (("GET", None), ("POST", b"{}")):
        assert request(method, site.url + "/", {}, body).status == status
    assert len(site.requests) == 2


def test_endless_answers_are_cut_off(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aggregation.device.transport._LARGEST_ANSWER", 5)
    with pytest.raises(OSError, match="more than 5 bytes"):
        request("GET", site.url + "/", {}, None)


def test_an_answer_that_breaks_off_is_none(site: Site) -> None:
    """Half a device configuration is not taken, and a 202 without its end is asked for again."""
    site.missing = 1
    for method, body in (("GET", None), ("POST", b"{}")):
        with pytest.raises(ConnectionError, match="broke off in the middle"):
            request(method, site.url + "/", {}, body)
    site.body, site.missing = b"", 0
    assert request("GET", site.url + "/", {}, None) == Answer(202, b"")


def test_nobody_there_and_no_http_are_errors_of_the_system() -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as server:
        url = f"http://127.0.0.1:{server.server_address[1]}/"
    with pytest.raises(OSError, match="refused"):
        request("GET", url, {}, None)

    class Gibberish(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1000)
            self.request.sendall(b"220 mail.example.org ready\r\n\r\n")

    with socketserver.TCPServer(("127.0.0.1", 0), Gibberish) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with pytest.raises(ConnectionError, match="does not speak HTTP"):
            request("GET", f"http://127.0.0.1:{server.server_address[1]}/", {}, None)
        thread.join()


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("https://a.example", "https://a.example/api/v1/reports/"),
        ("https://a.example:8443/", "https://a.example:8443/api/v1/reports/"),
        ("https://a.example/ldp/", "https://a.example/ldp/api/v1/reports/"),
        ("https://a.example/api/v1/reports/", "https://a.example/api/v1/reports/"),
        ("http://localhost:8000", "http://localhost:8000/api/v1/reports/"),
        ("http://[::1]:8000", "http://[::1]:8000/api/v1/reports/"),
    ],
)
def test_addresses(server: str, expected: str) -> None:
    assert address(server, REPORTS) == expected


@pytest.mark.parametrize(
    "server",
    [
        "",
        "a.example",
        "ftp://a.example",
        "http://a.example",
        "http://localhost.example",
        "https://",
        "https://device7@a.example",
        "https://a.example/?device=7",
        "https://a.example/#7",
        "https://a.example:x",
        "https://[",
        "https://a.example/ x",
        "https://a.example/\r\nX: y",
        "https://ä.example",
    ],
)
def test_addresses_that_are_not_used(server: str) -> None:
    with pytest.raises(DeviceError, match="The server's address"):
        address(server, REPORTS)
