"""The command that deletes raw reports."""

import io
import json
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from ldpsite.celery import app
from reports.models import Deletion, Shard
from reports.retention import tasks
from tests.reports.factories import stored_files
from tests.reports.retention.helpers import days_later, quarantine
from tests.reports.small_fleet import aggregate, days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def expire(*arguments: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    call_command("expire", *arguments, stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def line(slug: str, days: int, reports: int | str, never_counted: int | str) -> dict[str, Any]:
    day = days_ago(days).isoformat()
    return {"use_case": slug, "version": 1, "day": day, "reports": reports, "never_counted": never_counted}


def test_what_is_over_is_deleted_and_told_day_by_day(capsys: pytest.CaptureFixture[str]) -> None:
    for slug in ("fruits", "pears"):
        version = define(slug=slug, retention_days=5, minimum_reports=10)
        for day in (4, 3, 1):
            send(version, 10, day=days_ago(day))
    aggregate(version, days_ago(4), days_ago(4))
    assert expire() == []
    assert expire("--dry-run") == []
    assert capsys.readouterr().err == "Nothing is due.\n"
    with days_later(2):
        expected = [
            line("fruits", 4, 10, 10),
            line("fruits", 3, 10, 10),
            line("pears", 4, 10, 0),
            line("pears", 3, 10, 10),
        ]
        assert sorted(expire("--dry-run"), key=str) == sorted(expected, key=str)
        assert "Nothing was deleted" in capsys.readouterr().err
        assert Shard.objects.count() == 6
        assert not Deletion.objects.exists()
        assert expire("--use-case", "pears") == expected[2:]
        assert expire() == expected[:2]
        assert expire() == []
    assert set(Shard.objects.values_list("day", flat=True)) == {days_ago(1)}


@pytest.mark.parametrize("reports", [37, 120])
def test_no_number_is_printed_that_tells_of_a_part_that_is_too_small(reports: int) -> None:
    """Logs of a schedule are read by more people than owners, and the other 150 are published."""
    version = define(retention_days=5)
    for locale, size in (("en_US", 150), ("fr_FR", reports)):
        send(version, size, locale=locale, day=days_ago(4))
        send(version, size, locale=locale, day=days_ago(3))
    aggregate(version, days_ago(4), days_ago(4))
    send(version, 40, day=days_ago(2))
    every: int | str = "at least 100" if reports < 100 else 150 + reports
    with days_later(3):
        expected = [
            line("fruits", 4, every, 0),
            line("fruits", 3, every, every),
            line("fruits", 2, "fewer than 100", "fewer than 100"),
        ]
        assert expire("--dry-run") == expire() == expected


def test_what_nobody_decided_about_is_deleted_and_told_too() -> None:
    version = define(minimum_reports=5)
    quarantine(days_ago(2), fruits=(version, 5))
    assert expire("--dry-run") == expire() == []
    with days_later(8):
        expected = [line("fruits", 2, 5, 5)]
        assert expire("--dry-run") == expected
        assert version.quarantined_shards.exists()
        assert expire() == expected
    assert not version.quarantined_shards.exists()


@pytest.mark.django_db(transaction=True)
def test_all_of_a_use_case() -> None:
    for slug in ("fruits", "pears"):
        send(define(slug=slug, minimum_reports=10), 10)
    assert expire("--use-case", "pears", "--all", "--dry-run") == [line("pears", 0, 10, 10)]
    assert expire("--use-case", "pears", "--all") == [line("pears", 0, 10, 10)]
    assert Deletion.objects.get().reason == "demanded"
    assert [shard.version.use_case.slug for shard in Shard.objects.all()] == ["fruits"]
    assert len(stored_files()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"), [(["--all"], "--all needs --use-case"), (["--use-case", "plums"], "no use case 'plums'")]
)
def test_wrong_arguments(arguments: list[str], words: str) -> None:
    send(define(), 10)
    with pytest.raises(CommandError, match=words):
        expire(*arguments)
    assert Shard.objects.exists()


def test_the_schedule_does_it_every_hour() -> None:
    entry = settings.CELERY_BEAT_SCHEDULE["delete expired reports"]
    assert (entry["task"], entry["schedule"]) == (tasks.delete_expired_reports.name, 3600)
    app.loader.import_default_modules()
    assert tasks.delete_expired_reports.name in app.tasks
    send(define(retention_days=5), 10, day=days_ago(4))
    with days_later(1):
        tasks.delete_expired_reports()
    assert not Shard.objects.exists()
    assert not stored_files()


def test_who_asks_twice_what_would_be_deleted_does_not_see_a_report_come() -> None:
    version = define(minimum_reports=100)
    found = []
    for reports in (130, 1):
        send(version, reports)
        quarantine(days_ago(0), fruits=(version, reports))
        found.append(expire("--use-case", "fruits", "--all", "--dry-run"))
    assert found == [[line("fruits", 0, 200, 200)]] * 2
    assert expire("--use-case", "fruits", "--all") == [line("fruits", 0, 262, 262)]


def test_what_waits_for_a_decision_is_shown_rounded_to_the_minimum() -> None:
    version = define(minimum_reports=100)
    quarantine(days_ago(2), fruits=(version, 130))
    with days_later(8):
        assert expire("--dry-run") == [line("fruits", 2, 100, 100)]
        assert expire() == [line("fruits", 2, 130, 130)]
