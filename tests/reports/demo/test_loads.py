"""What the demo's fleets send: a week, each day once and whole."""

import datetime
from pathlib import Path
from unittest import mock

import pytest
from django.core.management import call_command

from reports.demo import loads, setup
from reports.demo.fleets import EMOJI, HEALTH, Fleet
from reports.models import Run, Version
from reports.models.uploads import utc_today
from reports.runs import finish_inline, start_run
from tests.reports.demo.small import ENERGY, SMALL_WORDS, define, write_small_definitions

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

TOTAL = 72


def reports_by_day(version: Version) -> dict[datetime.date, int]:
    found: dict[datetime.date, int] = {}
    for day, size in version.shards.values_list("day", "size"):
        found[day] = found.get(day, 0) + size
    return dict(sorted(found.items()))


def send(fleet: Fleet, version: Version, total: int = TOTAL) -> list[int]:
    return list(loads.send_reports(fleet, version, loads.missing_loads(version, total)))


@pytest.mark.parametrize("fleet", [EMOJI, HEALTH, ENERGY], ids=lambda fleet: fleet.slug)
def test_a_week_is_sent_once(fleet: Fleet) -> None:
    version = define(fleet)
    assert send(fleet, version) == [11, 22, 32, 42, 52, 62, 72]
    assert list(reports_by_day(version).items()) == list(zip(loads.days(), [11, 11, 10, 10, 10, 10, 10], strict=True))
    assert send(fleet, version) == []
    tomorrow = utc_today() + datetime.timedelta(days=1)
    with mock.patch.object(loads, "utc_today", return_value=tomorrow):
        assert send(fleet, version) == []


@pytest.mark.parametrize("later", [0, 1])
def test_an_interrupted_start_is_completed(later: int) -> None:
    version = define()
    sending = loads.send_reports(EMOJI, version, loads.missing_loads(version, TOTAL))
    next(sending)
    next(sending)
    with mock.patch.object(loads, "utc_today", return_value=utc_today() + datetime.timedelta(days=later)):
        missing = loads.missing_loads(version, TOTAL)
        assert [load.day for load in missing] == loads.days()[2 - later :]
        list(loads.send_reports(EMOJI, version, missing[: 5 if later == 0 else -1]))
    assert set(loads.days()) <= set(reports_by_day(version))
    assert len({load.seed for load in missing}) == len(missing)
    assert loads.missing_loads(version, TOTAL) == []


def test_what_others_send_today_does_not_stand_for_a_missing_day() -> None:
    version = define()
    list(loads.send_reports(EMOJI, version, loads.missing_loads(version, TOTAL)[:6]))
    today = loads.Load(utc_today(), 10, 99)
    list(loads.send_reports(EMOJI, version, [today]))
    assert [load.day for load in loads.missing_loads(version, TOTAL)] == loads.days()[6:]


def test_so_few_reports_that_days_have_none() -> None:
    version = define()
    send(EMOJI, version, 3)
    assert len(reports_by_day(version)) == 3
    assert loads.missing_loads(version, 3) == []


def test_a_use_case_whose_version_somebody_replaced_is_left_alone() -> None:
    version = define(HEALTH)
    Version.objects.filter(pk=version.pk).update(state=Version.State.SUPERSEDED)
    assert loads.version_of(HEALTH) is None


def test_what_is_counted() -> None:
    version = define(HEALTH)
    assert loads.is_counted(version), "nothing is"
    list(loads.send_reports(HEALTH, version, loads.missing_loads(version, TOTAL)[:2]))
    assert not loads.is_counted(version)
    call_command("aggregate", HEALTH.slug, inline=True)
    assert loads.is_counted(version)
    send(HEALTH, version)
    assert not loads.is_counted(version)


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Version:
    monkeypatch.setattr(setup, "SMALL", write_small_definitions(tmp_path))
    return define(SMALL_WORDS)


def test_words_are_counted_when_a_run_has_looked_at_all_days(words: Version) -> None:
    assert loads.is_counted(words), "nothing is"
    assert send(SMALL_WORDS, words) == [11, 22, 32, 42, 52, 62, 72]
    first, last = loads.days()[0], loads.days()[-1]
    for window in ((first, first), (loads.days()[1], last), (first, last)):
        assert not loads.is_counted(words)
        run = start_run(words, *window)
        assert not loads.is_counted(words), "the run has only been ordered"
        finish_inline(run.pk, lambda _progress: None)
    assert loads.is_counted(words)
    tomorrow = utc_today() + datetime.timedelta(days=1)
    with mock.patch.object(loads, "utc_today", return_value=tomorrow):
        assert loads.is_counted(words)


def test_a_failed_search_for_words_is_repeated(words: Version) -> None:
    send(SMALL_WORDS, words)
    run = loads.order_run(words)
    finish_inline(run.pk, lambda _progress: None)
    Run.objects.update(state=Run.State.FAILED)
    assert not loads.is_counted(words)


def test_words_are_looked_for_in_the_demos_days_whatever_others_send_today(words: Version) -> None:
    send(SMALL_WORDS, words)
    list(loads.send_reports(SMALL_WORDS, words, [loads.Load(utc_today(), 10, 99)]))
    run = loads.order_run(words)
    assert (run.first_day, run.last_day) == (loads.days()[0], loads.days()[-1])
    finish_inline(run.pk, lambda _progress: None)
    assert loads.is_counted(words)
