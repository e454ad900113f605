"""Messages of pages about the demo: where its password is, and what is still to come while it is being filled."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from reports.demo import setup
from reports.demo.coming import FILLING, all_days_to_come, days_to_come
from reports.demo.fleets import EMOJI, WORDS
from reports.demo.loads import missing_loads, order_run, send_reports
from reports.jobs import finish_inline
from reports.locks import Lock
from reports.models import UseCase
from tests.reports.demo.small import define
from tests.workers import test_database_url as database_url

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def in_the_demo(settings: Settings) -> None:
    settings.LDPSITE_DEMO = True


@contextmanager
def being_filled() -> Iterator[None]:
    """By another process."""
    with psycopg.connect(database_url()) as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [Lock.DEMO, FILLING])
        yield


def text(client: Client, address: str) -> str:
    return re.sub(r"\s+", " ", client.get(address).content.decode())


@pytest.fixture
def root(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("root"))
    return client


def test_days_that_are_counted_are_there() -> None:
    emoji = define(EMOJI)
    assert days_to_come(emoji.use_case) == 0, "nothing comes if no process sends it"
    with being_filled():
        assert days_to_come(emoji.use_case) == 28
        assert days_to_come(UseCase.objects.get(slug=WORDS.slug)) == 14
        assert all_days_to_come() == 6 * 28 + 2 * 14, "those about domains are yet to be defined"
        assert list(send_reports(EMOJI, emoji, missing_loads(emoji, 72, 1)))
        assert days_to_come(emoji.use_case) == 28
        finish_inline(order_run(emoji, 1))
        assert days_to_come(emoji.use_case) == 21
        UseCase.objects.update(state=UseCase.State.PAUSED)
        assert (days_to_come(emoji.use_case), all_days_to_come()) == (0, 4 * 28 + 14)


def test_pages_say_what_is_to_come(root: Client) -> None:
    define(EMOJI)
    assert "simulated" not in re.sub("reports are simulated", "", text(root, "/"))
    with being_filled():
        home, use_case = text(root, "/"), text(root, f"/use-cases/{EMOJI.slug}/")
        assert "data-finished" not in text(root, "/?cards")
    assert "The demo is still being filled: 196 more days of reports are being simulated." in home
    assert 'id="progress"' in home
    assert "The demo is still being filled: 28 more days of this use case are being simulated." in use_case
    assert "data-finished" in text(root, "/?cards"), "which reloads the page for the last time"


def test_elsewhere_than_in_the_demo_nothing_is_asked(
    settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.LDPSITE_DEMO = False
    use_case = define(EMOJI).use_case
    with being_filled(), django_assert_num_queries(0):
        assert (days_to_come(use_case), all_days_to_come()) == (0, 0)


@pytest.mark.parametrize("is_demo", [True, False])
def test_the_login_says_where_the_password_is(client: Client, settings: Settings, is_demo: bool) -> None:
    settings.LDPSITE_DEMO = is_demo
    page = text(client, "/accounts/login/")
    assert (f"The user is {setup.LOGIN}; the password is printed in the terminal" in page) == is_demo
    assert ("demo-password" in page) == is_demo
