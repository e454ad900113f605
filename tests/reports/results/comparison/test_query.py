"""Parameters of a comparison, and how it is written in the URL."""

import pytest

from reports.results import QueryError
from reports.results.comparison.query import ComparisonQuery
from tests.reports.comparing import comparison
from tests.reports.small_fleet import define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_what_no_version_has_is_refused_by_its_name() -> None:
    define()
    for parameters, field in (
        ({"locale": "xx"}, "locale"),
        ({"other_locale": "xx"}, "other-locale"),
        ({"other_from": "yesterday"}, "other-from"),
        ({"from_": "2026-02-02", "to": "2026-02-01"}, "to"),
        ({"version": "9"}, "version"),
        ({"sort": "rank"}, "sort"),
    ):
        with pytest.raises(QueryError) as refused:
            comparison(**parameters)
        assert refused.value.field == field


def test_a_query_is_written_as_it_was_read_and_can_be_turned_round() -> None:
    parameters = {
        "locale": "en_US", "from": "2026-02-01", "other-locale": "fr_FR", "other-to": "2026-02-09", "other-days": "7",
        "version": "2", "top": "9", "q": "an", "sort": "-first",
    }  # fmt: skip
    query = ComparisonQuery.from_parameters(parameters)
    assert query.parameters() == parameters
    turned = query.swapped()
    assert (turned.first, turned.second, turned.sort) == (query.second, query.first, "-second")
    assert turned.swapped() == query
    assert ComparisonQuery().parameters() == {}
    assert query.without("other-days").parameters() == {k: v for k, v in parameters.items() if k != "other-days"}
