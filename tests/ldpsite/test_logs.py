import json
import logging
import sys

import pytest
from django.test import Client

from ldpsite.gunicorn_config import accesslog, forget_client
from ldpsite.logs import JsonFormatter, NoUploads

pytestmark = pytest.mark.exact

SECRETS = ("203.0.113.9", "SecretBrowser", "secret body")


def record(message: str, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("a.logger", logging.WARNING, "", 0, message, (), None)
    made.__dict__ |= extra
    return made


def test_one_json_object_per_line_of_named_fields_only() -> None:
    line = JsonFormatter().format(record("two\nlines", request="secret body"))
    assert "\n" not in line
    assert json.loads(line).keys() == {"time", "level", "logger", "message"}


def test_an_exception_comes_with_its_traceback() -> None:
    try:
        raise ValueError("x")
    except ValueError:
        made = record("failed", exc_info=sys.exc_info())
    assert "ValueError: x" in json.loads(JsonFormatter().format(made))["exception"]


@pytest.mark.parametrize("address", ["203.0.113.9", "2001:db8::9"])
def test_the_web_server_forgets_its_clients(address: str) -> None:
    made = record(f"Invalid request from ip={address}: Invalid HTTP method: 'x'")
    assert forget_client(made)
    assert made.getMessage() == "Invalid request: Invalid HTTP method: 'x'"
    assert accesslog is None


@pytest.mark.django_db
def test_a_refused_request_leaves_nobody_in_the_log(
    client: Client, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    client.post("/admin/nothing/", "secret body", "text/plain", REMOTE_ADDR=SECRETS[0], HTTP_USER_AGENT=SECRETS[1])
    client.get("/", HTTP_HOST="evil.example", REMOTE_ADDR=SECRETS[0], HTTP_USER_AGENT=SECRETS[1])
    logged = "\n".join(JsonFormatter().format(made) for made in caplog.records) + "".join(capfd.readouterr())
    assert "evil.example" in logged
    for secret in SECRETS:
        assert secret not in logged


@pytest.mark.django_db
def test_refused_uploads_are_not_noted_and_other_refusals_are(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    client.post("/api/v1/batches/", "{}", "application/json")
    client.post("/api/v1/reports", "{}", "application/json")
    client.post("/api/v1/batches", "{}", "application/json")
    client.get("/api/v1/nothing/")
    assert [made.getMessage() for made in caplog.records] == [
        "Unauthorized: /api/v1/batches/",
        "Unauthorized: /api/v1/reports",
        "Unauthorized: /api/v1/batches",
        "Unauthorized: /api/v1/nothing/",
    ]
    kept = [made.getMessage() for made in caplog.records if NoUploads().filter(made)]
    assert kept == ["Unauthorized: /api/v1/nothing/"]
    (console,) = (handler for handler in logging.getLogger().handlers if handler.name == "console")
    assert any(isinstance(one, NoUploads) for one in console.filters)
