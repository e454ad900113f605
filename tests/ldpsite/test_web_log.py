"""The web server's log has no content of a request, and of uploads there is no line: bytes over a socket."""

import re

import pytest
from django.contrib.auth.models import User

from reports.models import ApiToken
from tests.reports.factories import make_version, of_records, record_lines
from tests.web_server import WebServer

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

MARK = "203.0.113.78"
BODY = b"{}"


def request(method: str, path: str, *headers: str, host: str = "localhost", body: bytes = BODY) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1") + body


JSON = "Content-Type: application/json"
SENT: dict[str, bytes] = {
    "PROXY line": f"PROXY TCP4 {MARK} 10.0.0.1 56324 443\r\n".encode() + request("POST", "/api/v1/reports/", JSON),
    "header without colon": request("POST", "/api/v1/reports/", f"Forwarded for={MARK}"),
    "blank in a header's name": request("POST", "/api/v1/reports/", f"Forwarded {MARK} : 1"),
    "folded header": request("POST", "/api/v1/reports/", "X-A: 1", f" {MARK}"),
    "method": request(f"P<{MARK}>", "/api/v1/reports/"),
    "version": request("POST", f"/api/v1/reports/ {MARK}"),
    "transfer coding": request("POST", "/api/v1/batches/", f"Transfer-Encoding: {MARK}"),
    "expectation": request("POST", "/api/v1/batches/", f"Expect: {MARK}"),
    "large header": request("POST", "/api/v1/batches/", f"X-A: {MARK}{'x' * 70_000}"),
    "host": request("POST", "/api/v1/reports/", JSON, host=MARK),
    "host of a page": request("GET", "/", host=MARK),
    "host of an upload": request("POST", "/api/v1/batches/", JSON, host=MARK),
    "malformed host": request("POST", "/api/v1/batches/", JSON, host=f"{MARK}:x:y"),
    "double slash": request("POST", f"//api/v1/batches/{MARK}", JSON),
    "capitals": request("POST", f"/API/v1/batches/{MARK}", JSON),
    "dots": request("POST", f"/x/../api/v1/reports/{MARK}", JSON),
    "coded": request("POST", f"/%61pi/v1/reports/{MARK}", JSON),
    "dot": request("POST", f"/api/v1/./reports/{MARK}", JSON),
    "behind": request("POST", f"/api/v1/reports/{MARK}/", JSON),
    "of a use case": request("POST", f"/use-cases/{MARK}/batches/", JSON),
    "embedded page": request("GET", f"/embed/{MARK}/"),
    "coded slash before an embedded page": request("GET", f"/%2Fembed/{MARK}/"),
    "embedded page without its slash": request("GET", f"/embed/{MARK}"),
    "embedded page in capitals": request("GET", f"/Embed/{MARK}/"),
    "query": request("POST", f"/api/v1/batches/?{MARK}={MARK}", JSON),
    "no token": request("POST", "/api/v1/batches/", JSON),
    "document": request("POST", "/api/v1/reports/", JSON, "Idempotency-Key: 0123456789abcdef", body=MARK.encode()),
    "form": request("POST", f"/batches/new/?{MARK}", "Content-Type: multipart/form-data; boundary=x"),
    "admin": request("GET", f"/admin/../api/v1/batches/{MARK}"),
}


def test_a_refusal_of_a_page_is_noted_by_its_route_and_nothing_else_at_all(kept_server: WebServer, alice: User) -> None:
    before = kept_server.said()
    for name, sent in SENT.items():
        answer = kept_server.answer_to(sent)
        assert re.match(rb"HTTP/1\.1 (?!500)\d", answer), (name, answer[:200])
    upload_stored_or_not(kept_server)
    assert b" 404 " in kept_server.answer_to(request("GET", f"/report-format/{MARK}"))
    assert kept_server.said() == before, "there is no such route"
    assert b" 403 " in kept_server.answer_to(request("POST", f"/report-format/?{MARK}", f"X-Forwarded-For: {MARK}"))
    added = kept_server.said().removeprefix(before)
    assert re.fullmatch(r"\S+ \S+ WARNING django.security.csrf: Forbidden: report-format/\n", added)


def upload_stored_or_not(kept_server: WebServer) -> None:
    make_version()
    _token, secret = ApiToken.create(MARK, may_ingest=True)
    headers = ["Content-Type: application/x-ndjson", f"Authorization: Bearer {secret}", f"X-Forwarded-For: {MARK}"]
    for body, status in ((of_records(record_lines(3)), b"202"), (MARK.encode(), b"400"), (b"0\n" * 20_000, b"422")):
        answer = kept_server.answer_to(request("POST", "/api/v1/batches/", *headers, body=body))
        assert answer.split()[1] == status
