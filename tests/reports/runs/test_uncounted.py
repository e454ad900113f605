"""Versions that find words and have reports that were not searched."""

import pytest

from reports.collection import seal_days
from reports.models import ReadOut
from reports.runs import start_run, uncounted_versions, unseen_versions
from tests.reports.runs.stepwise import begin
from tests.reports.small_fleet import aggregate, days_ago, define_words, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_reports_are_counted_when_they_are_sketched() -> None:
    version = define_words()
    assert uncounted_versions(version.use_case) == unseen_versions(version.use_case) == []
    send_words(version, 200, day=days_ago(1))
    assert uncounted_versions(version.use_case) == unseen_versions(version.use_case) == [version]
    begin(start_run(version, ring=False).pk)
    assert uncounted_versions(version.use_case) == [version], "sealed only"
    aggregate(version)
    assert uncounted_versions(version.use_case) == unseen_versions(version.use_case) == []
    send_words(version, 200, seed=1)
    assert uncounted_versions(version.use_case) == unseen_versions(version.use_case) == [version]
    aggregate(version)
    ReadOut.objects.filter(day=days_ago(1)).delete()
    assert uncounted_versions(version.use_case) == [version]


def test_what_is_older_than_a_window_is_counted_too() -> None:
    version = define_words()
    for day in (30, 8, 1):
        send_words(version, 200, day=days_ago(day))
    seal_days(version, last=days_ago(8))
    aggregate(version)
    assert uncounted_versions(version.use_case) == unseen_versions(version.use_case) == []
    send_words(version, 200, day=days_ago(30), seed=1)
    assert uncounted_versions(version.use_case) == unseen_versions(version.use_case) == [version]
