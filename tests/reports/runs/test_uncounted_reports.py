"""Number of reports that wait to be counted."""

import dataclasses

import pytest

from reports.collection import seal_days
from reports.models import DeviceRecord, Part, Run, UseCase, Version
from reports.runs import Uncounted, start_run, uncounted
from tests.reports.runs.stepwise import begin, work_on
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def told(slug: str) -> Uncounted | None:
    use_case = UseCase.objects.get(slug=slug)
    return uncounted(list(UseCase.objects.all()))[use_case.pk]


def test_open_and_sealed_reports_wait_until_a_run_has_read_them() -> None:
    version = define()
    assert told("fruits") is None
    send(version, 150, day=days_ago(2))
    send(version, 120, day=days_ago(1), seed=1)
    sealed = Uncounted(frozenset({version.pk}), 270, 120, days_ago(2), days_ago(1), countable=True)
    assert told("fruits") == dataclasses.replace(sealed, reports=200, fewest=100)
    run = start_run(version, ring=False)
    begin(run.pk)  # seals the days
    assert not version.shards.exclude(batch=None).exists()
    assert told("fruits") == sealed
    aggregate(version)
    assert told("fruits") is None


def numbers(version: Version) -> tuple[int, int]:
    """All, and the fewest that are published by themselves."""
    there = told(version.use_case.slug)
    return (there.reports, there.fewest) if there is not None else (0, 0)


def test_of_a_day_that_is_not_sealed_only_whole_lots_count_locale_by_locale() -> None:
    """One report more, seen a minute later, would tell when it arrived."""
    version = define()
    send(version, 99)
    send(version, 99, locale="fr_FR", seed=1)
    assert told("fruits") is None
    send(version, 1, seed=2)
    assert numbers(version) == (100, 100)
    for seed in (3, 4):
        send(version, 49, seed=seed)
        assert numbers(version) == (100, 100)
    send(version, 2, seed=5)
    assert numbers(version) == (200, 200)
    # Records of devices are no part of an upload's lot.
    row = {"version": version, "locale": "fr_FR", "stream": version.mechanism.streams[0], "day": days_ago(0)}
    DeviceRecord.objects.bulk_create(DeviceRecord(**row, record=b"") for _ in range(99))
    assert numbers(version) == (200, 200)


def test_the_fewest_are_of_a_locale_and_a_sealing_because_those_are_published() -> None:
    version = define()
    send(version, 150, day=days_ago(1))
    send(version, 37, locale="fr_FR", day=days_ago(1), seed=1)
    assert numbers(version) == (100, 100)
    seal_days(version)
    assert numbers(version) == (187, 37)
    aggregate(version)
    send(version, 150)
    seal_days(version)
    assert numbers(version) == (150, 150)
    send(version, 30, seed=1)
    assert numbers(version) == (150, 150)
    seal_days(version)
    assert numbers(version) == (180, 30)


def test_lots_of_devices_hide_no_few_reports_beside_them() -> None:
    version = define()
    send(version, 30, day=days_ago(1))
    seal_days(version)
    row = {"version": version, "locale": "en_US", "stream": version.mechanism.streams[0], "day": days_ago(1)}
    DeviceRecord.objects.bulk_create(DeviceRecord(**row, record=b"") for _ in range(137))
    assert numbers(version) == (130, 30)


def test_a_report_of_two_streams_is_one_and_a_search_that_is_half_done_has_counted_half() -> None:
    version = define_words()
    for locale in ("en_US", "fr_FR"):
        send_words(version, 150, locale=locale, day=days_ago(1))
    assert numbers(version) == (200, 100)
    run = start_run(version, ring=False)
    begin(run.pk)
    assert numbers(version) == (300, 150)
    work_on(run.parts.filter(step=Part.Step.SKETCH).order_by("locale").values_list("pk", flat=True)[0])
    for state in (Run.State.RUNNING, Run.State.FAILED):
        Run.objects.update(state=state)
        assert numbers(version) == (150, 150)


def test_a_version_without_dictionary_says_so() -> None:
    version = define()
    send(version, 150)
    version.dictionary_revisions.all().delete()
    there = told("fruits")
    assert there is not None
    assert not there.countable
