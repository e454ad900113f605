"""Runs over more shards than a part reads: days and locales in groups, of both kinds of sketch."""

from typing import Any

import numpy as np
import pytest

from reports.jobs import finish_inline, retry
from reports.models import Histogram, Part, PendingFile, ReadOut, Run, Shard, Version
from reports.runs import cutting, publishing, start_run
from reports.runs.cutting import dictionary_of
from reports.storage import open_array
from tests.reports.runs.failing import assert_nothing_half_done
from tests.reports.runs.stepwise import begin, work_on
from tests.reports.small_fleet import FRUITS, LOCALES, aggregate, days_ago, define, estimates, forget_results, send
from tests.reports.threads import together
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

DAYS = (3, 2, 1)
SHARDS = len(DAYS) * len(LOCALES)
MECHANISMS: dict[str, dict[str, Any]] = {
    "cms": {},
    "hcms": {
        "algorithm": "HadamardCountMeanSketch",
        "parameters": {"epsilon": 8, "k": 1024, "m": 64, "seed": "0f" * 16},
    },
}


@once
def three_days(mechanism: str) -> Version:
    """Reports of two locales, of each day and locale another number."""
    version = define(**MECHANISMS[mechanism])
    for number, locale in enumerate(LOCALES):
        for day in DAYS:
            send(version, 110 + 10 * day + number, locale=locale, day=days_ago(day), seed=10 * day + number)
    return version


@pytest.fixture(params=MECHANISMS)
def version(request: pytest.FixtureRequest) -> Version:
    return three_days(request.param)


@pytest.fixture
def groups_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two groups, the second of two shards, and several ranges of rows in each."""
    monkeypatch.setattr(cutting, "SHARDS_PER_PART", 4)
    monkeypatch.setattr(cutting, "LOOK_UPS_PER_PART", 250 * len(FRUITS))


def integers() -> dict[tuple[str, object], list[int]]:
    return {(found.locale, found.day): open_array(found.file_name).tolist() for found in ReadOut.objects.all()}


@pytest.mark.usefixtures("groups_of_four")
def test_read_outs_are_those_of_the_reports_of_a_day_and_locale(version: Version) -> None:
    run = aggregate(version)
    groups = set(run.parts.values_list("start_shard", "stop_shard"))
    assert groups == {(0, 4), (4, SHARDS)}
    assert run.parts.count() > 2 * len(groups)
    mechanism = version.mechanism
    points = mechanism.points(FRUITS)
    expected = {
        (shard.locale, shard.day): mechanism.read_out([open_array(shard.file_name)], points, 0, 1024)[0].tolist()
        for shard in Shard.objects.all()
    }
    assert len(expected) == SHARDS
    assert integers() == expected


@pytest.mark.usefixtures("groups_of_four")
def test_publishing_holds_one_group_at_a_time(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = []
    zeros = np.zeros

    def noted(shape: Any, *arguments: Any, **options: Any) -> Any:
        shapes.append(shape)
        return zeros(shape, *arguments, **options)

    run = start_run(version, ring=False)
    part_ids = begin(run.pk)
    for part_id in part_ids[:-1]:
        work_on(part_id)
    with monkeypatch.context() as context:
        context.setattr("reports.jobs.working._complete", lambda *_run, **_how: None)
        work_on(part_ids[-1])
    with monkeypatch.context() as context:
        context.setattr("reports.runs.publishing.np.zeros", noted)
        assert len(list(publishing._sums_of_parts(run, dictionary_of(run)))) == SHARDS
    assert shapes == [(4, len(FRUITS)), (SHARDS - 4, len(FRUITS))]


@pytest.mark.usefixtures("groups_of_four")
def test_several_that_take_up_a_run_of_several_groups_finish_it_once(version: Version) -> None:
    run = start_run(version, ring=False)
    done = together(3, lambda: finish_inline(run).state)
    assert done == [Run.State.FINISHED] * 3
    assert ReadOut.objects.count() == SHARDS
    assert not Part.objects.exclude(attempts=1).exists()
    assert not PendingFile.objects.exists()


@pytest.mark.usefixtures("groups_of_four")
def test_retry_keeps_the_finished_parts_of_every_group(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_run(version, ring=False)
    part_ids = begin(run.pk)
    finished = [part_ids[0], part_ids[-1]]
    for part_id in finished:
        work_on(part_id)

    def fail(*_arguments: object) -> None:
        raise KeyError("shards")

    with monkeypatch.context() as context:
        context.setattr("reports.runs.steps.open_array", fail)
        run = finish_inline(run)
    assert run.state == Run.State.FAILED
    assert not ReadOut.objects.exists()
    retry(run)
    run = finish_inline(run)
    assert run.state == Run.State.FINISHED
    disturbed = integers()
    assert not Part.objects.filter(pk__in=finished).exclude(attempts=1).exists()
    forget_results()
    aggregate(version)
    assert integers() == disturbed
    assert len(disturbed) == SHARDS


def test_a_failure_in_the_second_group_leaves_no_file(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "SHARDS_PER_PART", 4)
    opened: dict[str, int] = {}

    def fail_later(name: str) -> Any:
        if opened.setdefault(name, len(opened)) == 1:
            raise KeyError("parts")
        return open_array(name)

    assert_nothing_half_done(version, monkeypatch, "open_array", fail_later, "KeyError")
    assert ReadOut.objects.count() == SHARDS
