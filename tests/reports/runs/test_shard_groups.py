"""Runs over more shards than a part reads: days and locales in groups, of both kinds of sketch."""

from typing import Any

import numpy as np
import pytest

from reports.jobs import finish_inline, retry
from reports.models import PendingFile, ReadOut, Run, Shard, Version
from reports.runs import counting_runs, part_ranges, start_run
from reports.runs.counting_runs import dictionary_of
from reports.storage import open_array
from tests.reports.runs.stepwise import begin, work_on
from tests.reports.small_fleet import FRUITS, LOCALES, aggregate, days_ago, define, send
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


@pytest.fixture
def version(transactional_db: None) -> Version:
    return three_days("cms")


@pytest.fixture
def groups_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two groups, the second of two shards, and several ranges of rows in each."""
    monkeypatch.setattr(part_ranges, "SHARDS_PER_PART", 4)
    monkeypatch.setattr(part_ranges, "LOOK_UPS_PER_PART", 250 * len(FRUITS))


def assert_counts_are_those_of_the_reports(version: Version) -> None:
    points = version.mechanism.points(FRUITS)
    expected = {
        (shard.locale, shard.day): version.mechanism.read_out([open_array(shard.file_name)], points, 0, 1024)[
            0
        ].tolist()
        for shard in Shard.objects.all()
    }
    assert len(expected) == SHARDS
    found = {(found.locale, found.day): open_array(found.file_name).tolist() for found in ReadOut.objects.all()}
    assert found == expected


@pytest.mark.usefixtures("groups_of_four")
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_read_outs_are_those_of_the_reports_of_a_day_and_locale(mechanism: str) -> None:
    version = three_days(mechanism)
    run = aggregate(version)
    groups = set(run.parts.values_list("start_shard", "stop_shard"))
    assert groups == {(0, 4), (4, SHARDS)}
    assert run.parts.count() > 2 * len(groups)
    assert_counts_are_those_of_the_reports(version)


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
        context.setattr("reports.runs.counting_runs.np.zeros", noted)
        assert len(list(counting_runs._sums_of_parts(run, dictionary_of(run)))) == SHARDS
    assert shapes == [(4, len(FRUITS)), (SHARDS - 4, len(FRUITS))]


def fail(*_arguments: object) -> Any:
    raise KeyError("shards")


@pytest.mark.parametrize("what", ["open_array", "cut"])
def test_a_failure_while_publishing_leaves_nothing_half_done(
    version: Version, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the counts of the second group are added up, or when they are released."""
    monkeypatch.setattr(part_ranges, "SHARDS_PER_PART", 4)
    opened: dict[str, int] = {}

    def fail_later(name: str) -> Any:
        return fail() if opened.setdefault(name, len(opened)) == 1 else open_array(name)

    run = start_run(version, ring=False)
    with monkeypatch.context() as context:
        context.setattr(f"reports.runs.counting_runs.{what}", fail_later if what == "open_array" else fail)
        run = finish_inline(run)
    assert run.state == Run.State.FAILED
    assert "KeyError" in run.failure
    assert not ReadOut.objects.exists()
    assert not PendingFile.objects.exists()
    retry(run)
    assert finish_inline(run).state == Run.State.FINISHED
    assert ReadOut.objects.count() == SHARDS
