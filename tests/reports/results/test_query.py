"""Windows of a query."""

import datetime

import pytest

from reports.results import HistogramQuery, QueryError

pytestmark = pytest.mark.exact

NEWEST = datetime.date(2026, 3, 31)


def window(**parameters: str) -> tuple[str, str]:
    first, last = HistogramQuery.from_parameters(parameters).bounds(NEWEST)
    return str(first), str(last)


def test_a_window_of_so_many_days_ends_where_it_is_told_or_on_the_newest_day() -> None:
    assert window(days="7") == ("2026-03-25", "2026-03-31")
    assert window(days="1") == ("2026-03-31", "2026-03-31")
    assert window(days="28", to="2026-03-28") == ("2026-03-01", "2026-03-28")
    # Before anything is counted it is not known.
    assert HistogramQuery(days=7).bounds(None) == (None, None)


def test_other_windows_are_as_they_are_written() -> None:
    assert HistogramQuery().bounds(NEWEST) == (None, None)
    assert HistogramQuery(last=NEWEST).bounds(NEWEST) == (None, NEWEST)
    assert HistogramQuery(days=1).has_window
    assert not HistogramQuery(top=5).has_window


def test_the_calendar_has_a_beginning() -> None:
    assert window(days="3660", to="0001-01-05") == ("0001-01-01", "0001-01-05")


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"days": "7", "from": "2026-03-01"}, "days"),
        ({"days": "0"}, "days"),
        ({"days": "3661"}, "days"),
        ({"days": "week"}, "days"),
        ({"values": "raw"}, "values"),
        ({"unit": "share"}, "unit"),
        ({"scale": "linear"}, "scale"),
    ],
)
def test_defaults_and_nonsense_are_refused(parameters: dict[str, str], field: str) -> None:
    """Defaults, too: one view has one address."""
    with pytest.raises(QueryError) as caught:
        HistogramQuery.from_parameters(parameters)
    assert caught.value.field == field


def test_days_below_one_are_refused_from_programs_too() -> None:
    with pytest.raises(QueryError):
        HistogramQuery(days=0)
