"""Batches wait in quarantine for a week at most, and are deleted unless a person has decided about them."""

import logging

import pytest
from django.contrib.auth.models import User

from reports.collection import TooLate, release
from reports.collection.closing import seal_days, seal_finished_days
from reports.models import Batch, Deletion, QuarantinedShard, UploadDigest
from reports.privacy import history
from reports.retention import delete_expired, expired, undecided
from tests.reports.buckets import Bucket
from tests.reports.factories import batch_of, document, ndjson
from tests.reports.factories import send as send_body
from tests.reports.retention.helpers import (
    assert_no_raw_data,
    days_later,
    quarantine,
    raw_files,
    wait_from_device,
)
from tests.reports.small_fleet import days_ago, define, send
from tests.reports.suspicious import honest_lines, of_version, suspicious_lines

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def told() -> list[tuple[int, int, int, str, object]]:
    return [
        ((days_ago(0) - gone.day).days, gone.reports, gone.never_counted, gone.reason, gone.deleted_by)
        for gone in Deletion.objects.order_by("day")
    ]


def test_after_a_week_it_is_withdrawn_and_told(caplog: pytest.LogCaptureFixture) -> None:
    """The week began when its reports came, whatever day they are about."""
    version = define()
    batch = quarantine(days_ago(40), fruits=(version, 150))
    with days_later(6):
        assert undecided(version) == []
        assert delete_expired() == []
    with days_later(7), caplog.at_level(logging.INFO, "reports.retention"):
        assert expired(version) == []
        assert [(each.day, each.reports) for each in undecided(version)] == [(days_ago(40), 150)]
        delete_expired()
        assert undecided(version) == []
        assert delete_expired() == []
    assert told() == [(40, 150, 150, "undecided", None)]
    assert "fruits, version 1: deleted raw reports of 1 days (undecided)" in caplog.text
    batch.refresh_from_db()
    assert (batch.state, batch.withdrawn_by) == ("withdrawn", None)
    assert batch.withdrawn_on == days_ago(-7)
    assert_no_raw_data(version)


def test_of_a_locale_with_too_few_nobody_is_told_how_many() -> None:
    """A reader who knows of the 150 would know of the others."""
    version = define()
    for locale, size in (("en_US", 150), ("fr_FR", 37)):
        quarantine(days_ago(3), locale, fruits=(version, size))
    with days_later(7):
        (there,) = undecided(version)
        assert (there.reports, there.never_counted, there.fewest, there.fewest_uncounted) == (187, 187, 37, 37)
        delete_expired()
    (gone,) = Deletion.objects.all()
    assert (gone.reports, gone.fewest, gone.fewest_uncounted) == (187, 37, 37)
    (row,) = history.deletions(version.use_case, counted=True)["newest"]
    assert row["reports"] is None


def test_what_is_not_suspicious_and_what_waits_for_others_stays() -> None:
    version = define()
    send(version, 20, day=days_ago(3))
    wait_from_device(version, 5, days_ago(0))
    old, new = (quarantine(days_ago(3), fruits=(version, size)) for size in (7, 9))
    old.quarantined_shards.update(held_since=days_ago(7))
    files = raw_files()
    delete_expired()
    assert told() == [(3, 7, 7, "undecided", None)]
    assert (version.shards.get().size, version.device_records.count()) == (20, 5)
    assert version.quarantined_shards.get().batch == new
    assert len(files - raw_files()) == 1


def test_nobody_releases_what_has_waited_for_too_long(alice: User) -> None:
    """The task need not have come by: its reports would be kept for longer than promised."""
    version = define()
    late, last = (quarantine(days_ago(1), fruits=(version, 7)) for _each in range(2))
    late.quarantined_shards.update(held_since=days_ago(7))
    last.quarantined_shards.update(held_since=days_ago(6))
    with pytest.raises(TooLate):
        release(late, alice)
    assert release(last, alice).state == Batch.State.OPEN


def test_however_long_records_of_devices_had_waited_there_is_a_week_to_decide(alice: User) -> None:
    """Locales that had waited for less are in the same batch."""
    version = define(minimum_reports=100, locales=["en_US", "fr_FR"])
    wait_from_device(version, 60, days_ago(8), "fr_FR")
    wait_from_device(version, 60, days_ago(1), "fr_FR")
    # Twice the same records: no device draws them twice.
    for _each in range(2):
        wait_from_device(version, 250, days_ago(1))
    seal_finished_days()
    held = version.quarantined_shards.get()
    assert {each.locale: each.size for each in held.slices()} == {"en_US": 500, "fr_FR": 120}
    assert (held.batch.day, held.held_since) == (days_ago(1), days_ago(0))
    batch = held.batch
    with days_later(6):
        assert delete_expired() == []
        assert release(batch, alice).state == Batch.State.OPEN


def test_what_is_sealed_late_is_not_kept_longer_for_it(alice: User) -> None:
    version = define(minimum_reports=100)
    for _each in range(2):
        wait_from_device(version, 250, days_ago(20))
    seal_finished_days()
    held = version.quarantined_shards.get()
    assert (held.size, held.batch.day, held.held_since) == (500, days_ago(20), days_ago(19))
    with pytest.raises(TooLate):
        release(held.batch, alice)
    (gone,) = delete_expired()
    assert (gone.day, gone.reports, gone.reason) == (days_ago(20), 500, "undecided")


def test_days_of_waiting_and_retention_add_up_to_what_is_promised(alice: User) -> None:
    """Reports that others joined and a person released, both on their last day, go when it was promised."""
    version = define(minimum_reports=200, retention_days=9)
    came = 7
    for day in (came, 0):
        wait_from_device(version, 120, days_ago(day))
    with days_later(1):
        seal_days(version, last=days_ago(0))
    batch = version.quarantined_shards.get().batch
    send(version, 10, day=days_ago(0))
    with days_later(7):
        # The day that it is about is sealed by now.
        version.sealings.create(day=days_ago(0))
        assert release(batch, alice).day == days_ago(-7)
    kept = version.use_case.days_held
    assert kept == 9 + 2 * 7
    with days_later(kept - came - 1):
        delete_expired()
        assert version.shards.get().size == 240
    with days_later(kept - came):
        delete_expired()
    assert_no_raw_data(version)


def test_what_nobody_decided_about_goes_while_the_storage_is_away(bucket: Bucket) -> None:
    """Its reports can be sent again, and so can other uploads for that day."""
    version, pears = define(), define(slug="pears")
    lines = suspicious_lines(version, honest=1000)
    body = ndjson(document(of_version(version, lines), of_version(pears, honest_lines(pears, 1000))))
    batch = batch_of(send_body(body, day=days_ago(1)))
    assert batch.state == Batch.State.QUARANTINED
    bucket.is_away = True
    with days_later(7):
        assert sorted(gone.reports for gone in delete_expired()) == [1000, 1100]
        assert not QuarantinedShard.objects.exists()
        assert not UploadDigest.objects.exists()
        bucket.is_away = False
        assert not send_body(body, day=days_ago(1)).duplicate


def test_for_two_use_cases_it_goes_as_a_whole() -> None:
    fruits, pears = define(), define(slug="pears", title="Pears")
    batch = quarantine(days_ago(2), fruits=(fruits, 5), pears=(pears, 8))
    batch.quarantined_shards.update(held_since=days_ago(7))
    delete_expired(fruits.use_case)
    batch.refresh_from_db()
    assert batch.state == Batch.State.QUARANTINED
    delete_expired()
    batch.refresh_from_db()
    assert batch.state == Batch.State.WITHDRAWN
    assert sorted(Deletion.objects.values_list("version__use_case__slug", "reports", "reason")) == [
        ("fruits", 5, "undecided"),
        ("pears", 8, "undecided"),
    ]
    assert_no_raw_data(fruits)
