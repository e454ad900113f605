"""Logins are slowed down by account, whoever tries, and nothing of who tried is kept."""

import datetime
import logging
import threading

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from reports import logins
from reports.logins import FIRST_WAIT, FREE_FAILURES, LONGEST_WAIT, TooManyFailures, forget_old_failures
from reports.models import FailedLogins
from reports.models.uploads import utc_today

RIGHT, WRONG = "a right password", "a wrong password"


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice", password=RIGHT, is_staff=True)


def fail(times: int, name: str = "alice") -> None:
    for _ in range(times):
        assert authenticate(None, username=name, password=WRONG) is None


def let_time_pass(by: datetime.timedelta) -> None:
    row = FailedLogins.objects.get()
    assert row.blocked_until is not None
    FailedLogins.objects.update(blocked_until=row.blocked_until - by)


def waiting_time() -> datetime.timedelta:
    until = FailedLogins.objects.get().blocked_until
    assert until is not None
    return until - timezone.now()


def test_a_few_failures_cost_nothing(alice: User) -> None:
    fail(FREE_FAILURES - 1)
    assert authenticate(None, username="alice", password=RIGHT) == alice
    assert not FailedLogins.objects.exists()
    fail(FREE_FAILURES - 1)  # counted from the start again


def test_then_not_even_the_right_password_helps_for_a_while(alice: User) -> None:
    fail(FREE_FAILURES)
    with pytest.raises(TooManyFailures):
        authenticate(None, username="alice", password=RIGHT)
    let_time_pass(FIRST_WAIT)
    assert authenticate(None, username="alice", password=RIGHT) == alice


def test_the_wait_doubles_up_to_a_longest(alice: User) -> None:
    waits = []
    fail(FREE_FAILURES - 1)
    for _ in range(7):
        fail(1)
        waits.append(round(waiting_time() / datetime.timedelta(minutes=1)))
        let_time_pass(LONGEST_WAIT)
    assert waits == [1, 2, 4, 8, 15, 15, 15]


def test_what_is_refused_does_not_make_the_wait_longer(alice: User) -> None:
    fail(FREE_FAILURES)
    for _ in range(20):
        with pytest.raises(TooManyFailures):
            authenticate(None, username="alice", password=WRONG)
    assert waiting_time() <= FIRST_WAIT


@pytest.mark.parametrize("typed", ["ALICE", "alice", "ａｌｉｃｅ"])
def test_however_the_name_is_written(alice: User, typed: str) -> None:
    fail(FREE_FAILURES)
    with pytest.raises(TooManyFailures):
        authenticate(None, username=typed, password=WRONG)


def test_an_account_that_does_not_exist_looks_the_same(alice: User) -> None:
    fail(FREE_FAILURES, "nobody")
    with pytest.raises(TooManyFailures):
        authenticate(None, username="nobody", password=WRONG)
    assert authenticate(None, username="alice", password=RIGHT) == alice  # others are not slowed down


@pytest.mark.parametrize("door", ["login", "admin:login"])
def test_both_doors_say_how_long_to_wait(alice: User, door: str, client: Client) -> None:
    fail(FREE_FAILURES)
    answer = client.post(reverse(door), {"username": "alice", "password": RIGHT})
    assert answer.status_code == 200
    assert "Wait 1 minute, then try again." in answer.content.decode()
    let_time_pass(FIRST_WAIT)
    assert client.post(reverse(door), {"username": "alice", "password": RIGHT}).status_code == 302


def test_neither_the_name_nor_the_address_is_kept_or_logged(
    alice: User, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        for _ in range(FREE_FAILURES + 1):
            client.post(
                reverse("login"),
                {"username": "planted-name", "password": "planted-word"},
                REMOTE_ADDR="203.0.113.77",
                HTTP_USER_AGENT="planted-agent",
            )
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(f)::text FROM reports_failedlogins f")
        kept = str(cursor.fetchall())
    assert kept.count("account_hmac") == 1
    assert "Logins to an account are slowed down" in caplog.text
    for planted in ("planted", "203.0.113.77"):
        assert planted not in kept + caplog.text
        assert planted.encode().hex() not in kept


@pytest.mark.django_db(transaction=True)
def test_tries_at_the_same_moment_all_count() -> None:
    answers: list[str] = []

    def attempt() -> None:
        try:
            authenticate(None, username="alice", password=WRONG)
            answers.append("failed")
        except TooManyFailures:
            answers.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=attempt) for _ in range(FREE_FAILURES + 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == ["failed"] * FREE_FAILURES + ["refused"] * 5


def test_failures_are_forgotten(alice: User) -> None:
    fail(1)
    forget_old_failures()
    assert FailedLogins.objects.exists()
    FailedLogins.objects.update(last_on=utc_today() - datetime.timedelta(days=logins.KEPT_DAYS + 1))
    forget_old_failures()
    assert not FailedLogins.objects.exists()
