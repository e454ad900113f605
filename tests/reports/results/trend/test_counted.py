"""Publishing what may be: a few windows in each view, and none twice in vain."""

import datetime
from typing import Any

import pytest
from django.db.models import F

from reports.models import Histogram, UseCase
from reports.results.trend.counted import MOST_PUBLISHED
from tests.reports.results.trend.seen import see, states, weeks_of_days
from tests.reports.small_fleet import aggregate, days_ago, define, send
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_one_view_publishes_a_few_and_says_what_is_missing(db: None) -> None:
    version = define()
    weeks_of_days(version, MOST_PUBLISHED + 2)
    # Runs of earlier releases published no weeks.
    Histogram.objects.exclude(first_day=F("last_day")).delete()
    view = see(version, step=7, elements=("apple",))
    found = states(view, "apple")[-MOST_PUBLISHED - 2 :]
    assert found == ["not-published"] * 2 + ["above-threshold"] * MOST_PUBLISHED
    assert states(see(version, step=7, elements=("apple",)), "apple")[-6:] == ["above-threshold"] * 6


def test_what_is_refused_does_not_keep_others_from_being_published(db: None) -> None:
    """Windows that would single out few are tried once, and those before them come next."""
    version = define()
    monday = weeks_of_days(version, MOST_PUBLISHED + 1)
    for week in range(MOST_PUBLISHED):
        # A window that has all of the week but a day of few reports, which the week would then single out.
        start = monday - datetime.timedelta(days=7 * week)
        send(version, 10, day=start + datetime.timedelta(days=5), seed=week)
    aggregate(version)
    Histogram.objects.all().delete()
    for week in range(MOST_PUBLISHED):
        start = monday - datetime.timedelta(days=7 * week)
        sealings = list(
            version.read_outs.filter(day__range=(start, start + datetime.timedelta(days=6)))
            .exclude(day=start + datetime.timedelta(days=5))
            .values_list("sealing_id", flat=True)
        )
        day = publish_day(version, 300 + week, {"apple": 10})
        Histogram.objects.filter(pk=day.pk).update(sealings=sealings)
    last = monday + datetime.timedelta(days=6)
    query: dict[str, Any] = {"step": 7, "elements": ("apple",), "last": last, "days": 7 * (MOST_PUBLISHED + 1)}
    refused = ["below-minimum"] * MOST_PUBLISHED
    assert states(see(version, **query), "apple") == ["not-published", *refused]
    assert states(see(version, **query), "apple") == ["above-threshold", *refused]


def test_a_day_that_may_be_shown_by_now_is_published(db: None) -> None:
    version = define(minimum_reports=500)
    send(version, 400, day=days_ago(1))
    aggregate(version)
    UseCase.objects.update(minimum_reports=300)
    publish_day(version, 2, {"apple": 10})
    assert states(see(version, first=days_ago(1), elements=("apple",)), "apple") == ["above-threshold"]
