"""Loads of the demo's fleets: weeks, each day once and whole."""

import datetime
from pathlib import Path
from unittest import mock

import pytest
from django.core.management import call_command

from reports.collection import seal_days
from reports.demo import loads, setup
from reports.demo.fleets import EMOJI, HEALTH, Fleet
from reports.jobs import finish_inline
from reports.models import Annotation, Run, Version
from reports.models.uploads import utc_today
from reports.runs import start_run
from tests.reports.demo.small import ENERGY, SMALL_WORDS, define, write_small_definitions

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

TOTAL = 72


def reports_by_day(version: Version) -> dict[datetime.date, int]:
    found: dict[datetime.date, int] = {}
    for day, size in version.shards.values_list("day", "size"):
        found[day] = found.get(day, 0) + size
    return dict(sorted(found.items()))


def send(fleet: Fleet, version: Version, total: int = TOTAL, week: int = 1) -> list[int]:
    return list(loads.send_reports(fleet, version, loads.missing_loads(version, total, week)))


def later(days: int) -> "mock._patch[mock.Mock]":
    return mock.patch.object(loads, "utc_today", return_value=utc_today() + datetime.timedelta(days=days))


@pytest.mark.parametrize(("fleet", "week"), [(EMOJI, 1), (HEALTH, 4), (ENERGY, 1)])
def test_a_week_is_sent_once_newest_day_first(fleet: Fleet, week: int) -> None:
    version = define(fleet)
    of_week = [utc_today() - datetime.timedelta(days=7 * (week - 1) + back) for back in range(1, 8)]
    assert loads.days(version, week) == of_week
    assert [load.day for load in loads.missing_loads(version, TOTAL, week)] == of_week
    assert send(fleet, version, week=week)[-1] == TOTAL
    found = reports_by_day(version)
    assert list(found) == of_week[::-1]
    assert sum(found.values()) == TOTAL
    assert send(fleet, version, week=week) == []
    with later(1):
        assert send(fleet, version, week=week) == []
    assert loads.days_of_demo(fleet, version) == 7


def test_more_is_reported_at_weekends() -> None:
    version = define()
    of_week = loads.loads_of_week(version, 70_000, 1)
    assert {load.reports for load in of_week if load.day.weekday() == 0} == {9_400}
    assert {load.reports for load in of_week if load.day.weekday() == 5} == {10_900}
    assert sum(load.reports for load in of_week) == 70_000


def test_seeds_differ() -> None:
    version = define()
    backs = [load.back for week in range(1, 5) for load in loads.loads_of_week(version, TOTAL, week)]
    assert backs == list(range(1, 29))


@pytest.mark.parametrize("days", [0, 9])
def test_an_interrupted_start_is_completed(days: int) -> None:
    version = define()
    sending = loads.send_reports(EMOJI, version, loads.missing_loads(version, TOTAL, 1))
    next(sending)
    next(sending)
    with later(days):
        missing = loads.missing_loads(version, TOTAL, 1)
        assert [load.day for load in missing] == loads.days(version, 1)[2:]
        list(loads.send_reports(EMOJI, version, missing))
        assert loads.missing_loads(version, TOTAL, 1) == []
    assert set(loads.days(version, 1)) == set(reports_by_day(version))
    assert sum(reports_by_day(version).values()) == TOTAL


def test_what_others_send_today_does_not_stand_for_a_missing_day() -> None:
    version = define()
    list(loads.send_reports(EMOJI, version, loads.missing_loads(version, TOTAL, 1)[:6]))
    today = loads.Load(utc_today(), 10, 99)
    list(loads.send_reports(EMOJI, version, [today]))
    assert [load.day for load in loads.missing_loads(version, TOTAL, 1)] == loads.days(version, 1)[6:]
    assert loads.days_of_demo(EMOJI, version) == 6


def test_days_whose_reports_were_deleted_or_are_too_old_are_not_sent_again() -> None:
    version = define(HEALTH)
    send(HEALTH, version)
    seal_days(version)
    version.shards.all().delete()
    assert loads.missing_loads(version, TOTAL, 1) == []
    kept = version.use_case.retention_days
    with later(kept - 7):
        assert len(loads.missing_loads(version, TOTAL, 2)) == 0
    with later(kept - 10):
        assert [load.back for load in loads.missing_loads(version, TOTAL, 2)] == [8, 9]


def test_remarks_come_with_their_day_and_do_not_come_back() -> None:
    version = define()
    send(EMOJI, version, week=1)
    (final,) = Annotation.objects.all()
    assert (final.use_case, final.day, final.text) == (None, loads.days(version, 1)[4], "Championship final")
    send(EMOJI, version, week=2)
    release = Annotation.objects.get(use_case=version.use_case)
    assert (release.day, release.text) == (loads.days(version, 2)[4], "Keyboard 5.2, which suggests 🤩")
    Annotation.objects.all().delete()
    send(EMOJI, version, week=1)
    assert not Annotation.objects.exists()


def test_so_few_reports_that_days_have_none() -> None:
    version = define()
    send(EMOJI, version, 3)
    assert len(reports_by_day(version)) == 3
    assert loads.missing_loads(version, 3, 1) == []


def test_a_use_case_whose_version_somebody_replaced_is_left_alone() -> None:
    version = define(HEALTH)
    Version.objects.filter(pk=version.pk).update(state=Version.State.SUPERSEDED)
    assert loads.version_of(HEALTH) is None


def test_what_is_counted() -> None:
    version = define(HEALTH)
    assert loads.is_counted(version, 1), "nothing is"
    list(loads.send_reports(HEALTH, version, loads.missing_loads(version, TOTAL, 1)[:2]))
    assert not loads.is_counted(version, 1)
    call_command("aggregate", HEALTH.slug, inline=True)
    assert loads.is_counted(version, 1)
    send(HEALTH, version, week=2)
    assert loads.is_counted(version, 1)
    assert not loads.is_counted(version, 2)
    run = loads.order_run(version, 2)
    assert (run.first_day, run.last_day) == (loads.days(version, 2)[-1], loads.days(version, 1)[0])


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Version:
    monkeypatch.setattr(setup, "SMALL", write_small_definitions(tmp_path))
    return define(SMALL_WORDS)


def test_words_are_counted_when_a_run_has_looked_at_all_days(words: Version) -> None:
    assert loads.is_counted(words, 1), "nothing is"
    assert send(SMALL_WORDS, words)[-1] == TOTAL
    last, *_, second, first = loads.days(words, 1)
    for window in ((first, first), (second, last), (first, last)):
        assert not loads.is_counted(words, 1)
        run = start_run(words, *window)
        assert not loads.is_counted(words, 1), "the run has only been ordered"
        finish_inline(run)
    assert loads.is_counted(words, 1)
    list(loads.send_reports(SMALL_WORDS, words, [loads.Load(utc_today(), 10, 99)]))
    assert loads.is_counted(words, 1), "whatever others send today"
    Run.objects.filter(pk=run.pk).update(state=Run.State.FAILED)
    assert not loads.is_counted(words, 1), "a failed search is repeated"
