"""Parameters of a trend, and how it is written in the URL."""

import datetime
from typing import Any

import pytest
from django.utils.datastructures import MultiValueDict

from reports.results import QueryError
from reports.results.trend.query import MOST_WINDOWS, TrendQuery
from tests.reports.results.trend.seen import see
from tests.reports.small_fleet import define
from tests.reports.trends import publish_day

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def asked(**parameters: Any) -> TrendQuery:
    lists = {name: [value] if isinstance(value, str) else value for name, value in parameters.items()}
    return TrendQuery.from_parameters(MultiValueDict(lists))


def test_a_query_is_written_as_it_is_read() -> None:
    query = asked(**{"element": ["b", "a", "b", ""], "from": "2026-01-02", "days": "9", "step": "7", "locale": "fr_FR"})
    assert query.elements == ("b", "a")
    assert query.days is None, "the first day says it"
    assert query.encoded() == "locale=fr_FR&from=2026-01-02&step=7&element=b&element=a"
    assert asked(element=["=1+1 &x"]).encoded() == "element=%3D1%2B1+%26x"


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"element": list("abcdefg")}, "element"),
        ({"step": "2"}, "step"),
        ({"step": "x"}, "step"),
        ({"days": "0"}, "days"),
        ({"from": "2026-02-30"}, "from"),
        ({"from": "2026-02-02", "to": "2026-02-01"}, "to"),
    ],
)
def test_what_cannot_be_asked(parameters: dict[str, Any], field: str) -> None:
    with pytest.raises(QueryError) as refused:
        asked(**parameters)
    assert refused.value.field == field


def test_too_many_windows_are_refused(db: None) -> None:
    version = define()
    publish_day(version, 1, {"apple": 10})
    publish_day(version, MOST_WINDOWS, {"apple": 10})
    assert len(see(version, days=MOST_WINDOWS).slots) == MOST_WINDOWS
    with pytest.raises(QueryError) as refused:
        see(version, days=MOST_WINDOWS + 1)
    assert refused.value.field == "days"
    with pytest.raises(QueryError) as refused:
        see(version, first=datetime.date(2001, 1, 1))
    assert refused.value.field == "from"


def test_days_at_the_ends_of_the_calendar_are_refused() -> None:
    for day in (datetime.date.min, datetime.date.max):
        with pytest.raises(QueryError, match="No reports are of such a day"):
            TrendQuery(first=day)
        with pytest.raises(QueryError, match="No reports are of such a day"):
            TrendQuery(last=day)
