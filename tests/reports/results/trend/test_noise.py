"""Trends that are better read in weeks."""

import pytest

from reports.models import Version
from reports.results.counted import Span
from reports.results.trend import TRENDS
from reports.results.trend.counting_trend import FEWEST_DAYS
from tests.reports.small_fleet import days_ago
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def four_weeks() -> Span:
    return Span(days_ago(FEWEST_DAYS), days_ago(1))


def opens_in_weeks(version: Version, span: Span | None) -> bool:
    return TRENDS.of(version).opening_step(version, "en_US", span, weeks_if_noisy=True) == 7


# Intervals of these days reach 45 to either side.
@pytest.mark.parametrize(("largest", "noisy"), [(440, True), (460, False), (5000, False)])
def test_the_largest_of_the_newest_day_decides(version: Version, largest: int, noisy: bool) -> None:
    publish_day(version, 2, {"apple": 100})
    publish_day(version, 1, {"apple": largest, "fig": 60})
    publish_day(version, 1, {"apple": 100}, locale="fr_FR")
    assert opens_in_weeks(version, four_weeks()) is noisy


def test_days_that_are_released_together_are_noisy(version: Version) -> None:
    publish_day(version, 1, {"apple": 5000}, first=days_ago(7))
    assert opens_in_weeks(version, four_weeks())


def test_a_few_days_are_shown_as_they_are(version: Version) -> None:
    publish_day(version, 1, {"apple": 100})
    assert not opens_in_weeks(version, Span(days_ago(FEWEST_DAYS - 1), days_ago(1)))
    assert not opens_in_weeks(version, None)
