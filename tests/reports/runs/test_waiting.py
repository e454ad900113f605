"""How many reports wait to be counted."""

import pytest

from reports.models import Part, Run, UseCase
from reports.runs import start_run
from reports.runs.parts import begin, work_on
from reports.runs.waiting import Uncounted, uncounted
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
    expected = Uncounted(frozenset({version.pk}), 270, 120, days_ago(2), days_ago(1), countable=True)
    assert told("fruits") == expected
    run = start_run(version, ring=False)
    begin(run.pk)  # seals the days
    assert not version.shards.exclude(batch=None).exists()
    assert told("fruits") == expected
    aggregate(version)
    assert told("fruits") is None


def test_a_report_of_two_streams_is_one_and_a_search_that_is_half_done_has_counted_half() -> None:
    version = define_words()
    for locale in ("en_US", "fr_FR"):
        send_words(version, 150, locale=locale, day=days_ago(1))
    there = told("words")
    assert there is not None
    assert there.reports == 300
    run = start_run(version, ring=False)
    begin(run.pk)
    work_on(run.parts.filter(step=Part.Step.SKETCH).order_by("locale").values_list("pk", flat=True)[0])
    for state in (Run.State.RUNNING, Run.State.FAILED):
        Run.objects.update(state=state)
        there = told("words")
        assert there is not None
        assert there.reports == 150


def test_a_version_without_dictionary_says_so() -> None:
    version = define()
    send(version, 150)
    version.dictionary_revisions.all().delete()
    there = told("fruits")
    assert there is not None
    assert not there.countable
