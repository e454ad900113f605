"""Pages and API while the database does not answer: come again in a moment. Other failures are failures."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError, connection
from django.test import Client
from django.urls import reverse

from ldpsite.body_sizes import SMALL_BODY_BYTES
from tests.reports.web.pages.reading import PAGE

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

API = reverse("api_histogram", args=["fruits"])


@pytest.fixture
def as_bob(bob: User) -> Client:
    """A client of the site's own answers, so that its errors are not raised."""
    client = Client(raise_request_exception=False)
    client.force_login(bob)
    return client


@contextmanager
def failing_database(error: Exception, cause: Exception | None = None) -> Iterator[None]:
    """Let every statement fail."""

    def fail(*_arguments: Any) -> NoReturn:
        raise error from cause

    with connection.execute_wrapper(fail):
        yield


AWAY: dict[str, tuple[Exception, Exception | None]] = {
    "no server": (OperationalError("connection to 10.0.0.7 failed"), psycopg.OperationalError()),
    "shut down": (OperationalError("terminating connection"), psycopg.errors.AdminShutdown()),
    "starting": (OperationalError("starting up"), psycopg.errors.CannotConnectNow()),
    "full": (OperationalError("too many clients"), psycopg.errors.TooManyConnections()),
    "lost before": (InterfaceError("connection already closed"), None),
}


@pytest.mark.parametrize("away", AWAY.values(), ids=AWAY)
def test_while_the_database_is_away_a_page_says_so_and_can_be_tried_again(
    away: tuple[Exception, Exception | None], as_bob: Client
) -> None:
    with failing_database(*away):
        answer = as_bob.get(PAGE)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
    text = answer.content.decode()
    assert "<h1>The database does not answer</h1>" in text
    assert '<a class="button" href="">Try again</a>' in text
    assert str(away[0]) not in text


def test_it_says_so_of_pages_that_are_not_there_and_of_large_uploads_too(as_bob: Client) -> None:
    """A middleware asks who sends the one, the navigation of the other who reads it."""
    with failing_database(*AWAY["no server"]):
        assert as_bob.get("/nowhere/").status_code == 503
        length = str(SMALL_BODY_BYTES + 1)
        assert as_bob.post(reverse("upload"), b"x", content_type="text/plain", CONTENT_LENGTH=length).status_code == 503


@pytest.mark.parametrize("address", [API, reverse("api_device_configuration")])
def test_while_the_database_is_away_the_api_says_so(as_bob: Client, address: str) -> None:
    with failing_database(*AWAY["no server"]):
        answer = as_bob.get(address)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:ldpsite:problem:database-unavailable"
    assert "10.0.0.7" not in answer.content.decode()


@pytest.mark.parametrize("address", [PAGE, API])
def test_what_the_database_answers_is_no_outage(as_bob: Client, address: str) -> None:
    with failing_database(OperationalError("deadlock detected"), psycopg.errors.DeadlockDetected()):
        assert as_bob.get(address).status_code == 500
