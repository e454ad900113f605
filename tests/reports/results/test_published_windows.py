"""Which of many windows there is something to see of, in few queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reports.results.known import Window
from reports.results.publish import publish_window
from reports.results.published_windows import published_windows
from tests.reports.comparing import send_shares
from tests.reports.small_fleet import aggregate, days_ago, define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_windows_are_found_of_which_there_is_something_to_see() -> None:
    version = define(locales=["en_US"])
    for day, reports in ((6, 60), (5, 60), (4, 200), (3, 200), (1, 200)):
        send_shares(version, reports, day=days_ago(day), seed=day)
    aggregate(version)

    def window(first: int, last: int) -> Window:
        return "en_US", days_ago(first), days_ago(last)

    # Days by themselves, what they add up to, and a window that is published although its days are not.
    shown = {window(1, 1), window(4, 3), window(4, 1), window(2, 0), window(6, 5)}
    # Too few reports; some days of too few; none.
    others = {window(6, 6), window(6, 4), window(2, 2), window(9, 7)}
    assert publish_window(version, *window(6, 5)) is not None
    with CaptureQueriesContext(connection) as queries:
        assert published_windows(version, shown | others) == shown
    assert len(queries) == 2
    assert published_windows(version, set()) == set()
