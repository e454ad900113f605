"""Windows of many that have something to see, in one query."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reports.results.counted import LocaleWindow, published_windows
from tests.reports.comparing import send_shares
from tests.reports.small_fleet import aggregate, days_ago, define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_windows_are_found_of_which_there_is_something_to_see() -> None:
    version = define(locales=["en_US"])
    for day, reports in ((6, 60), (5, 60), (4, 200), (3, 200), (1, 200)):
        send_shares(version, reports, day=days_ago(day), seed=day)
    aggregate(version)

    def window(first: int, last: int) -> LocaleWindow:
        return "en_US", days_ago(first), days_ago(last)

    shown = {window(1, 1), window(4, 3), window(4, 1), window(2, 0), window(6, 5), window(6, 4)}
    # Too few reports by themselves; none.
    others = {window(6, 6), window(5, 5), window(2, 2), window(9, 7)}
    with CaptureQueriesContext(connection) as queries:
        assert published_windows(version, shown | others) == shown
    assert len(queries) == 1
    assert published_windows(version, set()) == set()
