"""Sums over windows of many periods: exact, and made of the totals of months and years that are over."""

import datetime
from collections.abc import Sequence
from unittest import mock

import numpy as np
import pytest

from reports.models import DictionaryRevision, PendingFile, PeriodTotal, ReadOut, Version
from reports.publication import count_window, cut, periods_of, totals, window_of
from reports.storage import open_array
from tests.reports.factories import stored_files
from tests.reports.publication.parts import close_day, define_parts
from tests.worlds import once

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

MONTHS = [datetime.date(2024, month, day) for month in range(1, 13) for day in (1, 15, 28)]
EDGES = [datetime.date(2023, 12, 30), datetime.date(2023, 12, 31), datetime.date(2025, 1, 1), datetime.date(2025, 1, 2)]
DAYS = sorted([*MONTHS, *EDGES])


def close_days(version: Version, days: Sequence[datetime.date], first: int = 0) -> None:
    for number, day in enumerate(days, first):
        close_day(version, "en_US", number, day, 10, size=len(DAYS) + 1)
    cut(version)


def current(version: Version) -> DictionaryRevision:
    revision = version.current_dictionary()
    assert revision is not None
    return revision


def counted(version: Version, first: datetime.date | None = None, last: datetime.date | None = None) -> list[int]:
    window = window_of(version, "en_US", first, last)
    assert window is not None
    found: list[int] = count_window(window, current(version)).counts.tolist()
    return found


@pytest.fixture
@once
def version(transactional_db: None) -> Version:
    made = define_parts(len(DAYS) + 1, minimum_reports=10)
    close_days(made, DAYS)
    return made


def test_every_window_is_the_sum_of_its_days(version: Version) -> None:
    ends = [(MONTHS[0], MONTHS[-1]), (MONTHS[4], MONTHS[20]), (DAYS[1], DAYS[-2]), (MONTHS[3], MONTHS[5])]
    for first, last in [*ends, (None, None), *ends]:
        expected = [int((first or day) <= day <= (last or day)) for day in DAYS] + [0]
        assert counted(version, first, last) == expected
        assert counted(version, first, last) == expected, "of the totals that are kept now"


def test_a_year_costs_its_total_and_a_window_in_it_its_months_and_edges(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted(version)
    opened: list[str] = []

    def note(name: str) -> object:
        opened.append(name)
        return open_array(name)

    monkeypatch.setattr(totals, "open_array", note)
    counted(version)
    # The days of the years before and after are two each, which are totals of their months.
    assert len(opened) == 3
    opened.clear()
    counted(version, MONTHS[1], MONTHS[-2])
    assert len(opened) == 10 + 2 * 2
    # However it is asked for: between the last of these days and the end of their month there are no others.
    opened.clear()
    window = periods_of(version, ["en_US"])["en_US"].inside(MONTHS[3], MONTHS[5])
    assert window is not None
    count_window(window, current(version))
    assert len(opened) == 1


def test_a_total_is_made_again_when_a_period_is_added(version: Version) -> None:
    whole = [1] * len(DAYS)
    assert counted(version) == [*whole, 0]
    before = set(PeriodTotal.objects.values_list("file_name", flat=True))
    close_days(version, [datetime.date(2024, 3, 3)], len(DAYS))
    assert counted(version) == [*whole, 1]
    after = set(PeriodTotal.objects.values_list("file_name", flat=True))
    # That of the month and that of the year; the files of before are gone.
    assert len(before - after) == len(after - before) == 2
    owned = {*after, *ReadOut.objects.values_list("file_name", flat=True)}
    assert stored_files().keys() == owned
    assert not PendingFile.objects.exists()


def test_a_month_that_goes_on_is_not_kept(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "utc_today", lambda: DAYS[-1])
    counted(version)
    assert not PeriodTotal.objects.filter(last_day__gte=DAYS[-1]).exists()
    assert PeriodTotal.objects.filter(last_day=datetime.date(2024, 12, 31)).count() == 2


def test_months_that_are_over_are_kept_while_their_year_goes_on(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Daily runs are over all days, and would otherwise open each of this year."""
    monkeypatch.setattr(totals, "utc_today", lambda: MONTHS[-1])
    expected = counted(version)
    kept = PeriodTotal.objects.filter(first_day__year=2024).values_list("last_day", flat=True)
    assert sorted(day.month for day in kept) == list(range(1, 12))
    opened = mock.Mock(side_effect=open_array)
    monkeypatch.setattr(totals, "open_array", opened)
    assert counted(version) == expected
    assert opened.call_count == 1 + 11 + 3 + 2, "the year before, months, days of December and of the year after"


def test_without_room_for_a_total_the_sum_is_given_all_the_same(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(totals, "store_array", full)
    assert counted(version) == [1] * len(DAYS) + [0]
    assert not PeriodTotal.objects.exists()
    assert not PendingFile.objects.exists()


def test_counts_that_are_replaced_meanwhile_are_looked_for_again(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that counts with a new dictionary deletes the file whose name was just read."""
    failures = [FileNotFoundError("gone"), FileNotFoundError("gone")]

    def miss(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        if failures:
            raise failures.pop()
        return open_array(name)

    monkeypatch.setattr(totals, "open_array", miss)
    assert counted(version) == [1] * len(DAYS) + [0]
