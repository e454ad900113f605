"""A clock that was set forward deletes nothing; one that is right is believed, sooner or later."""

import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from reports.models import Deletion, KnownDay, Shard, Version
from reports.retention import ClockDoubt, delete_expired
from reports.retention.tasks import delete_expired_reports
from tests.reports.retention.helpers import days_later
from tests.reports.small_fleet import days_ago, define, send
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


@contextmanager
def clock_ahead(days: int) -> Iterator[None]:
    with days_later(days), mock.patch("reports.clock.utc_today", return_value=days_ago(-days)):
        yield


def expire(*arguments: str) -> str:
    out = io.StringIO()
    call_command("expire", *arguments, stdout=out)
    return out.getvalue()


@once
def sent_yesterday() -> Version:
    version = define(retention_days=20)
    send(version, 10, day=days_ago(1))
    return version


@pytest.fixture(autouse=True)
def known_today() -> None:
    """The last day on which the schedule looked; the reports of another are kept for three weeks."""
    sent_yesterday()
    KnownDay.objects.update_or_create(pk=1, defaults={"day": days_ago(0), "doubted_since": None})


@pytest.mark.parametrize("arguments", [(), ("--dry-run",), ("--use-case", "fruits")])
def test_a_clock_that_jumped_deletes_nothing_by_command(arguments: tuple[str, ...]) -> None:
    with clock_ahead(190), pytest.raises(CommandError) as refused:
        expire(*arguments)
    assert re.search(rf"clock says {days_ago(-190)}.* known here is {days_ago(0)}.*--trust-clock", str(refused.value))
    assert f"believed from {days_ago(-197)} on" in str(refused.value)
    assert Shard.objects.exists()
    assert not Deletion.objects.exists()


def test_a_clock_that_jumped_deletes_nothing_by_schedule_which_goes_on_with_the_right_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with clock_ahead(190), caplog.at_level(logging.ERROR, "reports.retention"):
        delete_expired_reports()
        assert "--trust-clock" in caplog.text
        assert "Traceback" not in caplog.text
    assert Shard.objects.exists()
    # Set right: nothing is left of the doubt, and the next jump is doubted for as long.
    delete_expired_reports()
    assert KnownDay.objects.get().doubted_since is None
    with clock_ahead(197), pytest.raises(ClockDoubt):
        delete_expired()


def test_days_that_go_by_are_no_jump_nor_is_a_long_weekend() -> None:
    for days in (1, 4, 7, 10, 13, 16):
        with clock_ahead(days):
            assert delete_expired() == []
    with clock_ahead(19):
        assert len(delete_expired()) == 1
    with clock_ahead(23), pytest.raises(ClockDoubt):
        delete_expired()


def test_a_site_that_was_off_goes_on_when_a_person_says_so() -> None:
    with clock_ahead(60):
        assert '"reports": "fewer than' in expire("--trust-clock", "--dry-run")
        with pytest.raises(CommandError):
            expire()
        assert '"reports": "fewer than' in expire("--trust-clock")
        assert expire() == ""
    with clock_ahead(62):
        assert expire() == ""


def test_a_site_that_was_off_goes_on_by_itself_after_a_week() -> None:
    for days in range(60, 67):
        with clock_ahead(days), pytest.raises(ClockDoubt):
            delete_expired()
    with clock_ahead(67):
        assert len(delete_expired()) == 1
        assert KnownDay.objects.get().day == days_ago(-67)


def test_a_clock_that_is_behind_is_believed_and_deletes_nothing_too_early() -> None:
    with clock_ahead(-30):
        assert delete_expired() == []
    with pytest.raises(ClockDoubt):
        delete_expired()


def test_on_demand_all_is_deleted_whatever_the_clock_says() -> None:
    with clock_ahead(190):
        expire("--use-case", "fruits", "--all")
    assert not Shard.objects.exists()


def test_a_site_without_a_known_day_begins_with_today() -> None:
    KnownDay.objects.all().delete()
    with clock_ahead(190):
        assert len(delete_expired()) == 1
    assert KnownDay.objects.get().day == days_ago(-190)


def test_operations_say_it_and_what_to_do(client: Client) -> None:
    client.force_login(User.objects.create_superuser("root"))

    def page() -> str:
        return client.get("/operations/").content.decode()

    assert "The clock has jumped" not in page()
    with clock_ahead(190):
        shown = page()
    assert "The clock has jumped" in shown
    assert "manage.py expire --trust-clock" in shown
