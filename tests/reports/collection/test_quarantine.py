"""Releasing and withdrawing what waits in quarantine; and that nothing of it is seen or counted before."""

import pytest
from django.contrib.auth.models import User

from reports.collection import NotQuarantined, NotWithdrawable, release, seal_days, withdraw
from reports.models import Batch, Histogram, QuarantinedShard, ReadOut, Shard, Version
from reports.models.uploads import utc_today
from reports.retention import delete_all
from reports.runs import NothingToAggregate, start_run, uncounted_versions
from reports.storage import open_array
from tests.reports.factories import batch_of, left_in_spool, stored_files
from tests.reports.small_fleet import aggregate, days_ago, define
from tests.reports.small_fleet import send as send_honest
from tests.reports.suspicious import send_lines, send_suspicious, suspicious_lines

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


@pytest.fixture
def fruits(db: None) -> Version:
    return define()


@pytest.fixture
def held(fruits: Version) -> Batch:
    """300 reports of yesterday, three times the minimum."""
    return batch_of(send_suspicious(fruits, day=1))


def test_nothing_of_it_is_counted(fruits: Version, held: Batch) -> None:
    assert not uncounted_versions(fruits.use_case)
    with pytest.raises(NothingToAggregate):
        start_run(fruits, ring=False)
    send_honest(fruits, 150, day=days_ago(1), seed=9)
    aggregate(fruits)
    assert [histogram.n for histogram in Histogram.objects.all()] == [150]
    assert set(ReadOut.objects.values_list("n", flat=True)) == {150}
    held.refresh_from_db()
    assert held.state == Batch.State.QUARANTINED
    assert held.quarantined_shards.get().size == 300


def test_released_it_is_counted_on_its_day(fruits: Version, held: Batch, alice: User) -> None:
    name = held.quarantined_shards.get().file_name
    before = stored_files()
    released = release(held, alice)
    shard = Shard.objects.get()
    assert (shard.day, shard.batch, shard.size, shard.file_name) == (days_ago(1), held, 300, name)
    assert (released.state, released.day) == ("open", days_ago(1))
    assert (released.released_by, released.released_on) == (alice, utc_today())
    assert not QuarantinedShard.objects.exists()
    assert released.findings.exists()
    assert stored_files() == before
    assert uncounted_versions(fruits.use_case) == [fruits]
    aggregate(fruits)
    assert [histogram.n for histogram in Histogram.objects.all()] == [300]
    assert not left_in_spool()


def test_released_after_its_day_is_sealed_it_is_counted_today(fruits: Version, held: Batch, alice: User) -> None:
    send_honest(fruits, 150, day=days_ago(1), seed=9)
    seal_days(fruits, last=days_ago(1))
    assert release(held, alice).day == utc_today()
    assert Shard.objects.get(batch=held).day == utc_today()
    seal_days(fruits)
    assert sorted(Shard.objects.values_list("day", "size")) == [(days_ago(1), 150), (utc_today(), 300)]
    assert sum(len(open_array(shard.file_name)) for shard in Shard.objects.all()) == 450


def test_what_waits_is_recognised_after_its_day_is_sealed_and_on_the_day_that_it_is_released_to(
    fruits: Version, alice: User
) -> None:
    lines = suspicious_lines(fruits, honest=1000)
    held = batch_of(send_lines(fruits, lines, 1))
    send_honest(fruits, 150, day=days_ago(1), seed=9)
    seal_days(fruits, last=days_ago(1))
    assert send_lines(fruits, lines).duplicate
    release(held, alice)
    seal_days(fruits)
    again = send_lines(fruits, lines, 1)
    assert (again.duplicate, again.day) == (True, utc_today())


def test_withdrawn_it_is_gone(held: Batch, alice: User, django_capture_on_commit_callbacks: object) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        withdraw(held, alice)
    held.refresh_from_db()
    assert held.state == "withdrawn"
    assert (held.withdrawn_by, held.withdrawn_on) == (alice, utc_today())
    assert not QuarantinedShard.objects.exists()
    assert not Shard.objects.exists()
    assert not stored_files()


def test_what_was_released_can_still_be_withdrawn(held: Batch, alice: User, bob: User) -> None:
    """Both are kept: who let it out answers for what was counted."""
    withdraw(release(held, alice), bob)
    held.refresh_from_db()
    assert (held.state, held.withdrawn_by, held.withdrawn_on) == ("withdrawn", bob, utc_today())
    assert (held.released_by, held.released_on) == (alice, utc_today())


def test_what_was_released_and_is_deleted_was_not_withdrawn_by_who_released_it(
    fruits: Version, held: Batch, alice: User, bob: User
) -> None:
    release(held, alice)
    delete_all(fruits.use_case, bob)
    held.refresh_from_db()
    assert (held.state, held.withdrawn_by, held.released_by) == ("withdrawn", bob, alice)


def test_a_batch_is_decided_about_once(fruits: Version, held: Batch, alice: User) -> None:
    release(held, alice)
    with pytest.raises(NotQuarantined):
        release(held, alice)
    seal_days(fruits)
    with pytest.raises(NotWithdrawable):
        withdraw(held, alice)
    assert Shard.objects.get().size == 300


def test_withdrawn_it_is_not_released(held: Batch, alice: User) -> None:
    withdraw(held, alice)
    with pytest.raises(NotQuarantined):
        release(held, alice)
    with pytest.raises(NotWithdrawable):
        withdraw(held, alice)
