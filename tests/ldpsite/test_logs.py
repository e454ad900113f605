import io
import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.test import Client

from ldpsite.gunicorn_config import accesslog, forget_request
from ldpsite.logs import JsonFormatter

pytestmark = pytest.mark.exact


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
def test_the_web_server_forgets_what_it_could_not_read(address: str) -> None:
    assert not forget_request(record(f"Invalid request from ip={address}: Invalid HTTP method: 'x'"))
    failed = record("Error handling request %s %s")
    failed.args = ("GET", "/embed/secret/")
    assert forget_request(failed)
    assert failed.getMessage() == "Error handling request"
    assert forget_request(record("Booting worker"))
    assert accesslog is None


@pytest.mark.django_db
@pytest.mark.parametrize(("route", "address"), [("healthz", "/healthz"), ("embed/<str:token>/", "/embed/secret/")])
def test_an_unexpected_error_is_noted_with_its_traceback_and_route(
    client: Client, route: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.raise_request_exception = False
    monkeypatch.setattr("ldpsite.middleware.LargeBodies.process_view", fail)
    with console() as said:
        assert client.get(address).status_code == 500
    first, *traceback = said().splitlines()
    assert first == f"Internal Server Error: {route}"
    assert traceback[-1] == "ZeroDivisionError"
    assert "secret" not in said()


def fail(*arguments: object) -> None:
    raise ZeroDivisionError


@contextmanager
def console() -> Iterator[Callable[[], str]]:
    """Yield the lines that the handler of the settings writes meanwhile, without times."""
    (handler,) = (one for one in logging.getLogger().handlers if one.name == "console")
    assert isinstance(handler, logging.StreamHandler)
    text, formatter = io.StringIO(), handler.formatter
    before = handler.setStream(text)
    handler.setFormatter(logging.Formatter())
    try:
        yield text.getvalue
    finally:
        handler.setStream(before)
        handler.setFormatter(formatter)
