"""Raw reports go when their time is over, wherever they lie; what was counted stays."""

import itertools
import logging
import threading
from typing import Any
from unittest import mock

import numpy as np
import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection

from reports import pending_files
from reports.collection import seal_days
from reports.collection.ingest import Key, UploadRefused
from reports.locks import Lock, advisory_lock, is_held
from reports.models import (
    Batch,
    Deletion,
    Finding,
    IdempotencyKey,
    PendingFile,
    ReadOut,
    UploadDigest,
    Version,
)
from reports.privacy import history
from reports.results import HistogramQuery, histogram_view
from reports.retention import Totals, delete_all, delete_expired, deletions, expired, inventory, totals
from reports.retention.tasks import delete_expired_reports
from reports.runs import uncounted_versions
from reports.simulation import Fleet, Shares
from tests.reports.buckets import Bucket
from tests.reports.collection.ingest.test_races import WRITTEN, Deed, disturbed
from tests.reports.factories import (
    batch_of,
    document,
    make_version,
    ndjson,
    record_lines,
    segment,
    start_anew,
    stored_files,
)
from tests.reports.factories import send as send_body
from tests.reports.retention.helpers import (
    assert_no_raw_data,
    days_later,
    quarantine,
    raw_files,
    wait_from_device,
)
from tests.reports.small_fleet import (
    FRUITS,
    PROBABILITIES,
    aggregate,
    days_ago,
    define,
    define_words,
    estimates,
    send,
    send_words,
    shown,
)
from tests.workers import wait_for

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def told() -> list[tuple[str, int, int, str]]:
    """Days as distances from today."""
    return sorted(
        (str((days_ago(0) - each.day).days), each.reports, each.never_counted, each.reason)
        for each in Deletion.objects.all()
    )


@pytest.mark.parametrize("retention", [1, 30])
def test_exactly_as_many_days_are_kept_as_are_promised_and_taken_in(retention: int) -> None:
    version = define(retention_days=retention)
    send(version, 10, day=days_ago(retention - 1))
    with pytest.raises(UploadRefused, match="too old"):
        send(version, 10, day=days_ago(retention))
    assert delete_expired() == []
    assert len(raw_files()) == 1
    with days_later(1):
        assert len(delete_expired()) == 1
    assert_no_raw_data(version)


def test_what_was_counted_stays_and_windows_over_gone_days_are_shown() -> None:
    version = define(retention_days=10)
    for day in (9, 8, 3):
        send(version, 150, day=days_ago(day), seed=day)
    aggregate(version)
    before = shown(version)
    with days_later(2):
        delete_expired()
    assert set(version.shards.values_list("day", flat=True)) == {days_ago(3)}
    assert ReadOut.objects.count() == 3
    assert len(raw_files()) == 1
    assert (shown(version).n, estimates(shown(version))) == (450, estimates(before))
    # A window that was not asked for while the reports were there is added up from the read-outs.
    assert shown(version, 9, 8).n == 300
    assert uncounted_versions(version.use_case) == []
    # A run over all days goes on with what is left.
    send(version, 150, day=days_ago(1))
    aggregate(version)
    assert shown(version).n == 600
    assert told() == [("8", 150, 0, "expired"), ("9", 150, 0, "expired")]


def test_words_stay_and_are_looked_for_in_days_whose_reports_are_gone() -> None:
    version = define_words(retention_days=5)
    for day in (4, 3):
        send_words(version, 300, day=days_ago(day), seed=day)
    aggregate(version)
    with days_later(3):
        (old, *_more) = delete_expired()
    assert (old.reports, old.never_counted) == (300, 0)
    assert_no_raw_data(version)
    send_words(version, 300, day=days_ago(1), seed=1)
    aggregate(version, days_ago(4), days_ago(1))
    assert shown(version, 4, 1).n == 900


def test_what_was_never_counted_goes_too_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    version = define(retention_days=10)
    send(version, 120, day=days_ago(9))  # open
    send(version, 30, day=days_ago(8))
    seal_days(version, days_ago(8), days_ago(8))
    send(version, 20, day=days_ago(7))
    aggregate(version, days_ago(7), days_ago(7))
    wait_from_device(version, 4, days_ago(9))
    doubtful = quarantine(days_ago(7), fruits=(version, 5))
    Finding.objects.create(batch=doubtful, version=version, locale="en_US", stream="element", test="rows", p_value=0.0)
    send(version, 10, day=days_ago(6))
    assert [(each.reports, each.never_counted) for each in inventory(version)] == [
        (120, 120),
        (30, 30),
        (25, 5),
        (10, 10),
    ]
    with days_later(3), caplog.at_level(logging.INFO, "reports.retention"):
        assert [each.reports for each in expired(version)] == [120, 30, 25]
        delete_expired()
    assert told() == [("7", 25, 5, "expired"), ("8", 30, 30, "expired"), ("9", 120, 120, "expired")]
    # Four of a device are gone, too, and are in no number; nor is any number in the log.
    assert "fruits, version 1: deleted raw reports of 3 days (expired)" in caplog.text
    assert [each.day for each in inventory(version)] == [days_ago(6)]
    assert len(raw_files()) == 1
    doubtful.refresh_from_db()
    assert (doubtful.state, doubtful.withdrawn_by) == ("withdrawn", None)
    assert doubtful.withdrawn_on is not None
    assert Finding.objects.exists()  # why it was suspicious holds no reports, and stays as after a withdrawal
    states = dict(Batch.objects.exclude(pk=doubtful.pk).values_list("day", "state"))
    # Taken out before it was sealed; sealed; sealed; still open.
    expected = {days_ago(9): "withdrawn", days_ago(8): "sealed", days_ago(7): "sealed", days_ago(6): "open"}
    assert states == expected
    summary = deletions(version.use_case)
    assert [(each.days, each.reports, each.never_counted) for each in summary] == [(3, 175, 155)]
    assert (summary[0].first_day, summary[0].last_day, summary[0].deleted_by) == (days_ago(9), days_ago(7), "")


def test_what_waits_is_rounded_to_multiples_of_the_minimum() -> None:
    """A second look does not show that one more came; locales and days are not added up."""
    version = define(minimum_reports=100)
    for locale, reports in (("en_US", 99), ("fr_FR", 99)):
        wait_from_device(version, reports, days_ago(1), locale)
    wait_from_device(version, 3, days_ago(2))
    assert [(each.day, each.reports) for each in inventory(version)] == [(days_ago(2), 0), (days_ago(1), 0)]
    assert totals(inventory(version)) is None
    wait_from_device(version, 1, days_ago(1))
    assert totals(inventory(version)) == Totals(1, days_ago(1), days_ago(1), 100, 100, 100, 100)
    wait_from_device(version, 99, days_ago(1))
    assert [each.reports for each in inventory(version)] == [0, 100]


def test_from_what_is_told_of_a_day_no_locale_can_be_had_that_is_too_small() -> None:
    """150 of the 187 are published: who is told the sum knows about the other 37."""
    version = define(retention_days=10, minimum_reports=100)
    for locale, reports in (("en_US", 150), ("fr_FR", 37)):
        send(version, reports, locale=locale, day=days_ago(9))
    assert totals(inventory(version)) == Totals(1, days_ago(9), days_ago(9), 187, 187, 37, 37)
    aggregate(version, days_ago(9), days_ago(9))
    send(version, 120, day=days_ago(8))
    assert totals(inventory(version)) == Totals(2, days_ago(9), days_ago(8), 307, 120, 37, 120)
    with days_later(3):
        delete_expired()
    (summary,) = deletions(version.use_case)
    assert (summary.reports, summary.never_counted, summary.fewest, summary.fewest_uncounted) == (307, 120, 37, 120)
    (row,) = history.deletions(version.use_case, counted=True)["newest"]
    assert (row["reports"], row["fewer_than_minimum"]) == (None, False)


def test_from_uncounted_reports_no_locale_can_be_had_that_is_too_small() -> None:
    version = define(retention_days=10, minimum_reports=100)
    for locale, reports in (("en_US", 150), ("fr_FR", 37)):
        send(version, reports, locale=locale, day=days_ago(9))
    send(version, 120, day=days_ago(8))
    with days_later(3):
        delete_expired()
    (summary,) = deletions(version.use_case)
    assert (summary.reports, summary.never_counted, summary.fewest, summary.fewest_uncounted) == (307, 307, 37, 37)
    kept = list(Deletion.objects.order_by("day").values_list("reports", "fewest", "fewest_uncounted"))
    assert kept == [(187, 37, 37), (120, 120, 120)]
    # For one day of them it was not kept.
    Deletion.objects.filter(reports=120).update(fewest=None, fewest_uncounted=None)
    (summary,) = deletions(version.use_case)
    assert (summary.fewest, summary.fewest_uncounted) == (0, 0)


def test_shown_numbers_that_may_still_grow_are_rounded_to_the_minimum() -> None:
    version = define(minimum_reports=100)
    send(version, 150, day=days_ago(1))
    send(version, 37, locale="fr_FR", day=days_ago(1))
    quarantine(days_ago(1), fruits=(version, 250))
    assert totals(inventory(version, to_show=True)) == Totals(1, days_ago(1), days_ago(1), 337, 337, 37, 37)
    seal_days(version, days_ago(1), days_ago(1))
    assert totals(inventory(version, to_show=True)) == Totals(1, days_ago(1), days_ago(1), 387, 387, 37, 37)
    assert totals(inventory(version)) == Totals(1, days_ago(1), days_ago(1), 437, 437, 37, 37)


def test_what_a_run_left_out_is_a_part_by_itself() -> None:
    version = define(retention_days=10, minimum_reports=100)
    send(version, 150, day=days_ago(9))
    aggregate(version, days_ago(9), days_ago(9))
    quarantine(days_ago(9), fruits=(version, 37))
    with days_later(3):
        delete_expired()
    (summary,) = deletions(version.use_case)
    assert (summary.reports, summary.never_counted, summary.fewest) == (187, 37, 37)


def test_each_use_case_has_its_own_retention() -> None:
    short, long = define(retention_days=5), define(slug="pears", retention_days=50)
    for version in (short, long):
        send(version, 10, day=days_ago(4))
    quarantine(days_ago(4), fruits=(short, 3), pears=(long, 4))
    with days_later(1):
        delete_expired()
    assert not short.shards.exists()
    assert not short.quarantined_shards.exists()
    assert long.shards.get().size == 10
    assert long.quarantined_shards.get().size == 4
    assert Batch.objects.get(quarantined_shards__version=long).state == Batch.State.QUARANTINED
    assert raw_files() == {long.shards.get().file_name, long.quarantined_shards.get().file_name}


def test_trouble_with_one_version_keeps_none_of_the_others() -> None:
    versions = [define(slug=slug, retention_days=5) for slug in ("apples", "pears")]
    for version in versions:
        send(version, 10, day=days_ago(4))

    real = Deletion.objects.create

    def refuse(**fields: object) -> Deletion:
        if fields["version"] == versions[0]:
            raise RuntimeError("broken")
        return real(**fields)

    with days_later(1), mock.patch.object(Deletion.objects, "create", refuse), pytest.raises(RuntimeError):
        delete_expired()
    # Nothing of the first is gone, not a file; all of the second is.
    assert raw_files() == {versions[0].shards.get().file_name}
    assert not versions[1].shards.exists()


def test_a_use_case_may_be_disclosed_to_keep_less() -> None:
    version = define(retention_days=90)
    send(version, 10, day=days_ago(40))
    define(retention_days=40)
    delete_expired()
    assert_no_raw_data(version)


def test_an_old_day_is_taken_in_for_those_use_cases_only_that_keep_it() -> None:
    short = define(retention_days=5)
    define(slug="pears", retention_days=50)
    with pytest.raises(UploadRefused) as refused:
        send(short, 10, day=days_ago(20))
    assert refused.value.rejected == {"version_closed": 10}
    assert "no longer keeps" in refused.value.problems[0].detail


# --- On demand ---


def test_all_raw_reports_of_a_use_case_go_on_demand(alice: User) -> None:
    version = define()
    send(version, 150, day=days_ago(3))
    aggregate(version)
    receipt, _ = send(version, 20, day=days_ago(0))
    IdempotencyKey.objects.create(key_hmac=b"k", content_hmac=b"c", batch=batch_of(receipt))
    wait_from_device(version, 4, days_ago(1))
    quarantine(days_ago(2), fruits=(version, 5))
    newer = define(parameters={"epsilon": 4, "k": 1024, "m": 64})
    send(newer, 30, day=days_ago(0))
    delete_all(version.use_case, alice)
    assert_no_raw_data(version)
    assert_no_raw_data(newer)
    assert told() == [
        ("0", 20, 20, "demanded"), ("0", 30, 30, "demanded"), ("2", 5, 5, "demanded"),
        ("3", 150, 0, "demanded"),
    ]  # fmt: skip
    assert {deletion.deleted_by for deletion in Deletion.objects.all()} == {alice}
    assert set(Batch.objects.values_list("state", flat=True)) == {"withdrawn", "sealed"}
    assert Batch.objects.get(state="withdrawn", day=days_ago(2)).withdrawn_by == alice
    assert not IdempotencyKey.objects.exists()
    assert histogram_view(version.use_case, HistogramQuery(locale="en_US", version=1)).histogram is not None
    assert deletions(version.use_case)[0].deleted_by == "alice"
    # Nothing is in the way of what comes next.
    send(newer, 30, day=days_ago(0))
    assert newer.shards.get().size == 30


def test_a_batch_keeps_what_it_has_for_other_use_cases() -> None:
    versions = [make_version(slug=slug) for slug in ("one", "two")]
    lines = record_lines(5)
    body = ndjson(document(*(segment(lines, use_case=slug) for slug in ("one", "two"))))
    receipt = send_body(body, key=Key("token", "key"))
    delete_all(versions[0].use_case)
    batch = batch_of(receipt)
    assert batch.state == Batch.State.OPEN
    assert [shard.version for shard in batch.shards.all()] == [versions[1]]
    assert batch.idempotency_keys.count() == 1
    assert raw_files() == {batch.shards.get().file_name}
    delete_all(versions[1].use_case)
    batch.refresh_from_db()
    assert batch.state == Batch.State.WITHDRAWN
    assert not batch.idempotency_keys.exists()


# --- Files ---


@pytest.mark.parametrize("damaged", [False, True], ids=["away", "without its files"])
def test_what_is_over_goes_without_being_read(bucket: Bucket, damaged: bool) -> None:
    """Nor is it recognised any more: else it could not be sent again, if that were still taken in."""
    version, other = (make_version(slug=slug, retention_days=days) for slug, days in (("one", 3), ("two", 30)))
    body = ndjson(document(*(segment(record_lines(1000), use_case=slug) for slug in ("one", "two"))))
    batch = batch_of(send_body(body, day=days_ago(2)))
    quarantine(days_ago(2), one=(version, 5))
    if damaged:
        bucket.files.clear()
    bucket.is_away = not damaged
    with days_later(1):
        (gone,) = delete_expired()
    assert (gone.version, gone.reports) == (version, 1005)
    assert not version.shards.exists()
    assert not version.quarantined_shards.exists()
    assert [shard.version for shard in batch.shards.all()] == [other]
    assert set(UploadDigest.objects.values_list("version", flat=True)) == {other.pk}
    bucket.is_away = False
    with days_later(1):
        assert send_body(ndjson(document(segment(record_lines(1000), use_case="two")))).duplicate


def test_a_crash_after_the_commit_leaves_files_to_the_next_sweep() -> None:
    version = define(retention_days=5)
    send(version, 10, day=days_ago(4))
    with days_later(1):
        with mock.patch.object(pending_files, "_delete", side_effect=OSError("gone")):
            delete_expired()
        assert len(raw_files()) == PendingFile.objects.count() == 1
        assert not version.shards.exists()
        delete_expired_reports()  # nothing is expired any more; what was left lying is deleted
    assert_no_raw_data(version)


def test_a_crash_before_the_commit_changes_nothing(version: Version) -> None:
    files = stored_files()
    with mock.patch("reports.retention.deleting.delete_after_commit", side_effect=KeyboardInterrupt):
        with pytest.raises(KeyboardInterrupt):
            delete_all(version.use_case)
    assert stored_files() == files
    assert version.shards.count() == 1
    assert not Deletion.objects.exists()
    assert not PendingFile.objects.exists()


@pytest.fixture
def version() -> Version:
    found = define()
    send(found, 10, day=days_ago(1))
    return found


def test_deleting_that_waits_for_a_merge_keeps_no_records_of_devices_from_being_mixed(version: Version) -> None:
    seal_days(version)

    def delete() -> None:
        delete_all(version.use_case)
        connection.close()

    deleting = threading.Thread(target=delete)
    with advisory_lock(Lock.MERGE, version.sealings.get().pk, shared=True):
        deleting.start()
        wait_for(someone_waits)
        assert not is_held(Lock.WAITING, 0)
    deleting.join(timeout=20)
    assert Deletion.objects.exists()


def someone_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


@pytest.mark.parametrize("other", ["seal", "upload"])
def test_deleting_while_a_day_is_sealed_or_grows(other: str, observer: psycopg.Connection[Any]) -> None:
    """A merged file must not be put in the place of what is gone."""
    version, today = define(), days_ago(0)
    deeds: dict[str, Deed] = {"seal": lambda: seal_days(version), "upload": lambda: send(version, 10, day=today)}
    shares = Shares("en_US", FRUITS, np.array(PROBABILITIES))
    bodies = ["\n".join(Fleet(version, shares, np.random.default_rng(seed)).documents(20)).encode() for seed in (1, 2)]

    def prepare() -> None:
        start_anew(*WRITTEN, Deletion)
        for body in bodies:
            send_body(body)

    both = (lambda: delete_all(version.use_case), deeds[other])
    seen = set()
    # Before every thirteenth step of the one, all of the other is done.
    for first, second in (both, both[::-1]):
        for place in itertools.count(step=13):
            prepare()
            if disturbed(first, second, place, observer) is None:
                break  # it has no more steps
            left = list(version.shards.values_list("file_name", "size"))
            assert raw_files() == {name for name, _size in left}
            assert not PendingFile.objects.exists()
            deleted = sum(Deletion.objects.values_list("reports", flat=True))
            assert deleted + sum(size for _name, size in left) == 40 + 10 * (other == "upload")
            seen.add(len(left))
    assert seen == ({0} if other == "seal" else {0, 1})
