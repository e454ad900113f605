"""Reading a trend, by what tests ask of it, and weeks for it to show."""

import datetime
from typing import Any

from reports.models import UseCase, Version
from reports.results.trend.points import Point
from reports.results.trend.query import TrendQuery
from reports.results.trend.trend_view import TrendView, trend_view
from tests.reports.small_fleet import aggregate, days_ago, send


def see(shown: Version, **parameters: Any) -> TrendView:
    return trend_view(UseCase.objects.get(pk=shown.use_case_id), TrendQuery(**parameters))


def states(view: TrendView, element: str) -> list[str]:
    return [str(point.state) for point in points(view, element)]


def points(view: TrendView, element: str) -> tuple[Point, ...]:
    return next(series.points for series in view.series if series.element.text == element)


def weeks_of_days(version: Version, weeks: int) -> datetime.date:
    """So many weeks of days with enough reports, up to a Sunday; returns its Monday."""
    sunday = days_ago(1)
    while sunday.isoweekday() != 7:
        sunday -= datetime.timedelta(days=1)
    for week in range(weeks):
        for seed, back in enumerate((6, 3, 0)):
            send(version, 150, day=sunday - datetime.timedelta(days=7 * week + back), seed=10 * week + seed)
    aggregate(version)
    return sunday - datetime.timedelta(days=6)
