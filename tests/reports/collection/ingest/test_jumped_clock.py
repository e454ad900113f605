"""A clock that was set forward: what waits and what is kept for some time stays, and reports are still taken in."""

import datetime

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from reports.accounts.tasks import forget_old_traces
from reports.collection import tasks
from reports.collection.devices.definitions_in_force import read_definitions
from reports.embedding import make_token
from reports.models import (
    Batch,
    DeviceKey,
    DroppedReports,
    EmbedLink,
    FailedLogins,
    IdempotencyKey,
    KnownDay,
    PendingFile,
    Version,
    Viewing,
)
from reports.models.uploads import utc_today
from reports.retention.tasks import delete_expired_reports
from reports.viewings import record_viewing
from tests.reports.devices import arrive, waiting
from tests.reports.factories import apply, definition, of_records, record_lines, send
from tests.reports.small_fleet import days_ago, define_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

DOOMED = (DeviceKey, IdempotencyKey, PendingFile, Viewing, FailedLogins, EmbedLink)


@pytest.fixture
def version(alice: User) -> Version:
    """Version with three reports of devices that wait, all that is kept for some time, and a known day."""
    KnownDay.objects.update_or_create(pk=1, defaults={"day": utc_today(), "doubted_since": None})
    apply(definition(minimum_reports=5))
    version = Version.objects.get()
    arrive(version, 3)
    batch = Batch.objects.create(day=utc_today(), accepted=1, rejected={})
    IdempotencyKey.objects.create(key_hmac=b"k", content_hmac=b"c", batch=batch, created_on=utc_today())
    PendingFile.objects.create(file_name="shards/being-written.npy", created_on=utc_today())
    record_viewing(alice, version.use_case, "page")
    FailedLogins.objects.create(account_hmac=b"a", failures=1)
    make_token(alice, version.use_case, "histogram", "", days=1)
    return version


def jump(monkeypatch: pytest.MonkeyPatch, days: int = 400) -> None:
    now = timezone.now() + datetime.timedelta(days=days)
    monkeypatch.setattr(timezone, "now", lambda: now)


def hourly() -> None:
    delete_expired_reports()
    tasks.seal_finished_days()
    forget_old_traces()


def left() -> list[str]:
    return [model.__name__ for model in DOOMED if model._default_manager.exists()]


def test_nothing_that_waits_or_is_kept_goes_and_uploads_are_taken_in(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    superseded = define_words(slug="old")
    Version.objects.filter(pk=superseded.pk).update(state=Version.State.SUPERSEDED, accepts_until=utc_today())
    with monkeypatch.context() as ahead:
        jump(ahead)
        hourly()
        assert (waiting(version), DroppedReports.objects.exists()) == (3, False)
        assert left() == [model.__name__ for model in DOOMED]
        superseded.refresh_from_db()
        assert superseded.state == Version.State.SUPERSEDED
        read_definitions.cache_clear()
        assert send(of_records(record_lines(50))).accepted == 50
    # With the right clock again, those that waited are counted with others.
    read_definitions.cache_clear()
    arrive(version, 2, seed=1)
    with monkeypatch.context() as tomorrow:
        jump(tomorrow, 1)
        tasks.seal_finished_days()
        assert waiting(version) == 0
    assert sum(version.shards.filter(day=utc_today(), stream="element").values_list("size", flat=True)) == 5
    assert not DroppedReports.objects.exists()


def test_a_clock_that_is_believed_lets_all_of_it_go(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    Version.objects.update(state=Version.State.SUPERSEDED, accepts_until=utc_today())
    KnownDay.objects.update(day=days_ago(-400))
    jump(monkeypatch)
    hourly()
    assert waiting(version) == 0
    assert left() == []
    version.refresh_from_db()
    assert version.state == Version.State.CLOSED


def test_what_a_crash_left_before_the_last_day_known_is_swept(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    PendingFile.objects.create(file_name="shards/forgotten.npy", created_on=days_ago(9))
    jump(monkeypatch)
    hourly()
    assert PendingFile.objects.get().file_name == "shards/being-written.npy"
