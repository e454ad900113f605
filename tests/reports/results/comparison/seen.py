"""Reading a comparison, by what tests ask of it."""

from typing import Any

from tests.reports.small_fleet import days_ago


def by_element(view: Any) -> dict[str, Any]:
    return {row.element: row for row in view.rows}


def days_of(view: Any) -> list[tuple[int, int]]:
    """Return how many days ago the windows of both sides begin and end."""
    today = days_ago(0)
    return [((today - side.days[0]).days, (today - side.days[1]).days) for side in view.sides]
