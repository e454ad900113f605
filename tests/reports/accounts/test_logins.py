"""Logins are slowed down by account, from all addresses, and no trace of who tried is kept."""

import datetime
import logging
import re
import threading
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth import aauthenticate, authenticate
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from reports.accounts import logins
from reports.accounts.logins import FIRST_WAIT, FREE_FAILURES, LONGEST_WAIT, TooManyFailures, forget_old_failures
from reports.models import FailedLogins
from reports.models.uploads import utc_today

MINUTE = datetime.timedelta(minutes=1)
EARLIER = datetime.timedelta(seconds=30)
RIGHT, WRONG = "a right password", "a wrong password"


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice", password=RIGHT, is_staff=True)


def fail(times: int, name: str = "alice") -> None:
    """In a row, from the first on: those that do not block, and those that do."""
    for time in range(times):
        if time < FREE_FAILURES - 1:
            assert authenticate(None, username=name, password=WRONG) is None
        else:
            fail_and_be_blocked(name)


def fail_and_be_blocked(name: str = "alice") -> None:
    with pytest.raises(TooManyFailures):
        authenticate(None, username=name, password=WRONG)


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


def test_the_wait_doubles_up_to_a_longest(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime.datetime(2026, 3, 4, 12, 0, 30, tzinfo=datetime.UTC)
    monkeypatch.setattr(timezone, "now", lambda: now)
    waits = []
    fail(FREE_FAILURES - 1)
    for _ in range(7):
        fail_and_be_blocked()
        waits.append((waiting_time() - EARLIER) / MINUTE)  # the next whole minute is kept: not the time of the attempt
        let_time_pass(LONGEST_WAIT + MINUTE)
    assert waits == [1, 2, 4, 8, 15, 15, 15]


def test_what_is_refused_does_not_make_the_wait_longer(alice: User) -> None:
    fail(FREE_FAILURES)
    for _ in range(20):
        with pytest.raises(TooManyFailures):
            authenticate(None, username="alice", password=WRONG)
    assert waiting_time() <= FIRST_WAIT + MINUTE


@pytest.mark.parametrize("typed", ["ALICE", "alice", "ａｌｉｃｅ"])
def test_however_the_name_is_written(alice: User, typed: str) -> None:
    fail(FREE_FAILURES)
    with pytest.raises(TooManyFailures):
        authenticate(None, username=typed, password=WRONG)


@pytest.mark.parametrize("door", ["login", "admin:login"])
def test_both_doors_say_how_long_to_wait(alice: User, door: str, client: Client) -> None:
    fail(FREE_FAILURES)
    answer = client.post(reverse(door), {"username": "alice", "password": RIGHT})
    assert (answer.status_code, 0 < int(answer.headers["Retry-After"]) <= 120) == (429, True)
    assert re.search("Wait (1 minute|2 minutes), then try again.", answer.content.decode())
    let_time_pass(FIRST_WAIT + MINUTE)
    assert client.post(reverse(door), {"username": "alice", "password": WRONG}).status_code == 429
    let_time_pass(2 * FIRST_WAIT + MINUTE)
    assert client.post(reverse(door), {"username": "alice", "password": RIGHT}).status_code == 302


@pytest.mark.parametrize("name", ["alice", "nobody"])
def test_the_failure_that_blocks_says_so(alice: User, name: str, client: Client) -> None:
    answers = [client.post(reverse("login"), {"username": name, "password": WRONG}) for _ in range(FREE_FAILURES + 1)]
    assert [answer.status_code for answer in answers] == [200] * (FREE_FAILURES - 1) + [429] * 2
    assert ["Retry-After" in answer.headers for answer in answers] == [False] * (FREE_FAILURES - 1) + [True] * 2
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 120
    told = ["Too many logins to this account have failed. Wait" in answer.content.decode() for answer in answers]
    assert told == [False] * (FREE_FAILURES - 1) + [True] * 2
    if name == "nobody":
        assert authenticate(None, username="alice", password=RIGHT) == alice, "others are not slowed down"


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


def test_changing_a_password_counts_as_a_login(alice: User, client: Client) -> None:
    """Or else an open session would let anybody try as many passwords as they like."""
    client.force_login(alice)

    def change(old: str) -> Any:
        new = {"new_password1": "quite another 1", "new_password2": "quite another 1"}
        return client.post(reverse("admin:password_change"), {"old_password": old} | new)

    for _ in range(FREE_FAILURES - 1):
        answer = change(WRONG)
        assert "was entered incorrectly" in answer.content.decode()
        assert answer.status_code == 200
    for password in (WRONG, RIGHT):
        answer = change(password)
        assert "Too many logins to this account have failed" in answer.content.decode()
        assert (answer.status_code, int(answer.headers["Retry-After"]) > 0) == (429, True)
    assert User.objects.get().check_password(RIGHT)
    let_time_pass(FIRST_WAIT + MINUTE)
    assert change(RIGHT).status_code == 302
    assert User.objects.get().check_password("quite another 1")
    assert not FailedLogins.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_other_way_to_ask_is_slowed_down_too() -> None:
    alice = User.objects.create_user("alice", password=RIGHT)

    def ask(password: str) -> Any:
        return async_to_sync(aauthenticate)(None, username="alice", password=password)

    assert ask(RIGHT) == alice
    for _ in range(FREE_FAILURES - 1):
        assert ask(WRONG) is None
    for password in (WRONG, RIGHT):
        with pytest.raises(TooManyFailures):
            ask(password)


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
    assert sorted(answers) == ["failed"] * (FREE_FAILURES - 1) + ["refused"] * 6


def test_failures_are_forgotten(alice: User) -> None:
    fail(1)
    forget_old_failures()
    assert FailedLogins.objects.exists()
    FailedLogins.objects.update(last_on=utc_today() - datetime.timedelta(days=logins.KEPT_DAYS + 1))
    forget_old_failures()
    assert not FailedLogins.objects.exists()
