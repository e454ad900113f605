"""Reports for a closed day count today, and their sender is told so; in strict mode they are refused."""

from typing import Any
from unittest import mock

import pytest
from django.utils.formats import date_format

from reports import pending_files, storage
from reports.collection import seal_days
from reports.collection.ingest import Refusal, UploadRefused, closed_days
from reports.models import UseCase, Version
from reports.models.uploads import utc_today
from tests.reports.factories import (
    OTHER,
    document,
    make_version,
    ndjson,
    of_other,
    of_records,
    record_lines,
    refused,
    segment,
    send,
)
from tests.reports.small_fleet import days_ago

pytestmark = [pytest.mark.exact]

BODY = of_records(record_lines(5))
OF_OTHER = of_other(4)


@pytest.fixture
def closed(version: Version) -> Version:
    send(BODY, day=days_ago(1))
    seal_days(version)
    return version


def test_the_receipt_has_both_days_and_says_why(closed: Version) -> None:
    receipt = send(BODY, day=days_ago(1))
    assert (receipt.day, receipt.requested_day, receipt.duplicate) == (utc_today(), days_ago(1), False)
    assert (
        receipt.in_words()
        == f"{date_format(days_ago(1))} is closed, so the reports count on {date_format(utc_today())}."
    )


@pytest.mark.parametrize("days", [None, 0, 2])
def test_of_an_open_day_nothing_is_said(closed: Version, days: int | None) -> None:
    day = None if days is None else days_ago(days)
    receipt = send(BODY, day=day, strict=True)
    assert receipt.day == receipt.requested_day == (day or utc_today())
    assert receipt.in_words() == ""


def test_strict_refuses_a_closed_day_before_anything_is_stored(
    closed: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending_files, "store", mock.Mock(side_effect=AssertionError))
    assert refused(BODY, day=days_ago(1), strict=True).refusal == Refusal.WRONG_DAY


def test_strict_refuses_a_day_that_is_closed_while_files_are_stored(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = storage.store

    def store_and_seal(*file: Any) -> None:
        real(*file)
        monkeypatch.setattr(pending_files, "store", real)
        seal_days(version)

    send(BODY, day=days_ago(1))
    monkeypatch.setattr(pending_files, "store", store_and_seal)
    with pytest.raises(UploadRefused) as caught:
        send(of_records(record_lines(6, 1)), day=days_ago(1), strict=True)
    assert caught.value.refusal == Refusal.WRONG_DAY
    assert version.shards.get().size == 5


def test_where_some_of_the_reports_move_it_says_so(closed: Version) -> None:
    other = make_version(slug="other", parameters=OTHER)
    body = ndjson(document(segment(record_lines(5)), OF_OTHER))
    past, today = date_format(days_ago(1)), date_format(utc_today())
    words = f"{past} is closed for at least some of the reports; these count on {today}."
    assert (
        refused(body, day=days_ago(1), strict=True).detail
        == f"{words.replace('count', 'would count')} Refused, as asked."
    )
    assert send(body, day=days_ago(1)).in_words() == words
    assert other.shards.get().day == days_ago(1)


def test_closed_days_are_those_that_could_still_be_chosen(closed: Version) -> None:
    fruits = closed.use_case
    other = make_version(slug="other", parameters=OTHER)
    send(of_records(record_lines(4), use_case="other", parameters=OF_OTHER["parameters"]))
    seal_days(other)  # today, which stays open
    assert closed_days(UseCase.objects.all()) == {fruits: [days_ago(1)]}
    assert closed_days([other.use_case]) == {}
    fruits.retention_days = 1
    assert closed_days([fruits]) == {}
    fruits.retention_days, fruits.state = 90, UseCase.State.PAUSED
    assert closed_days([fruits]) == {}


def test_days_of_versions_that_take_nothing_in_any_more_are_not_closed(closed: Version) -> None:
    Version.objects.update(state=Version.State.CLOSED)
    assert closed_days(UseCase.objects.all()) == {}
