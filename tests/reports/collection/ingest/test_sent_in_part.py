"""A large part of what is stored, sent again among other records, waits for a person, with that reason."""

import pytest
from django.contrib.auth.models import User

from reports.collection import release, seal_days, withdraw
from reports.collection.ingest import evidence
from reports.models import Batch, Finding, RecordFingerprint, UploadDigest, Version
from reports.models.uploads import utc_today
from reports.retention import delete_all
from tests.reports.factories import batch_of, document, ndjson, send
from tests.reports.small_fleet import days_ago, define, define_words
from tests.reports.suspicious import honest_lines, of_version, send_lines

pytestmark = [pytest.mark.exact, pytest.mark.django_db, pytest.mark.usefixtures("screened")]

LONG = {"epsilon": 4, "k": 1024, "m": 1024, "seed": "0f" * 16}
HADAMARD = {
    "algorithm": "HadamardCountMeanSketch",
    "parameters": {"epsilon": 4, "k": 1024, "m": 1024, "seed": "0f" * 16},
}


@pytest.fixture
def fruits(db: None) -> Version:
    return define(parameters=LONG)


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_half_of_an_upload_among_others_is_held(fruits: Version, sealed: bool) -> None:
    first = honest_lines(fruits, 2000, seed=1)
    send_lines(fruits, first, day=1)
    if sealed:
        seal_days(fruits)
    again = send_lines(fruits, [*first[::2], *honest_lines(fruits, 3000, seed=2)])
    assert not again.duplicate
    assert batch_of(again).state == Batch.State.QUARANTINED
    (found,) = Finding.objects.all()
    assert (found.test, found.version, found.locale) == ("stored_before", fruits, "")
    assert found.p_value < 1e-12
    said = evidence(found, "here")
    assert "records are among the 4,000 of this one" in said.words
    # They may wait in quarantine, so it does not say that they count.
    assert f"Most of them are stored for {days_ago(1):%b %-d, %Y}." in said.words
    assert "fewer than 0.001 are expected" in said.words


def test_all_of_an_upload_with_one_record_more_is_held(fruits: Version) -> None:
    lines = honest_lines(fruits, 1000, seed=1)
    send_lines(fruits, lines)
    assert batch_of(send_lines(fruits, [*lines, *honest_lines(fruits, 1, seed=2)])).state == Batch.State.QUARANTINED


def test_words_are_compared_too() -> None:
    long = {"k": 1024, "m": 1024, "fragment_epsilon": 4, "fragment_k": 64, "fragment_m": 64}
    words = define_words(parameters={"epsilon": 4, **long, "length": 4, "seed": "0f" * 16})
    lines = honest_lines(words, 1500, seed=1)
    send_lines(words, lines)
    assert batch_of(send_lines(words, lines[:1200])).state == Batch.State.QUARANTINED


def test_what_has_nothing_of_an_upload_passes(fruits: Version) -> None:
    for seed in range(3):
        assert batch_of(send_lines(fruits, honest_lines(fruits, 2000, seed=seed))).state == Batch.State.OPEN
    assert not Finding.objects.exists()


def test_a_few_records_are_no_large_part(fruits: Version) -> None:
    """Ten of 2,000 records put one into a sample of 64 less often than every third time."""
    first = honest_lines(fruits, 2000, seed=1)
    send_lines(fruits, first)
    assert batch_of(send_lines(fruits, [*first[:10], *honest_lines(fruits, 2000, seed=2)])).state == Batch.State.OPEN


def test_the_versions_of_others_do_not_matter(fruits: Version) -> None:
    other = define(slug="other", parameters=LONG | {"seed": "1f" * 16})
    lines = honest_lines(fruits, 1500, seed=1)
    send_lines(fruits, lines)
    assert batch_of(send_lines(other, lines[:1400])).state == Batch.State.OPEN


def test_of_short_records_only_whole_files_are_known() -> None:
    version = define(**HADAMARD)
    lines = honest_lines(version, 1500, seed=1)
    send_lines(version, lines)
    assert not RecordFingerprint.objects.exists()
    assert batch_of(send_lines(version, lines[:1400])).state == Batch.State.OPEN
    assert send_lines(version, lines).duplicate


def test_what_was_left_out_the_first_time_does_not_bring_the_rest_in_again() -> None:
    """Short records, too: a use case that is defined later makes the same file another upload."""
    version = define(**HADAMARD)
    lines = honest_lines(version, 1500, seed=1)
    send_lines(version, lines, day=1)
    seal_days(version)
    other = define(slug="other", **HADAMARD)
    segments = [of_version(version, lines), of_version(other, honest_lines(other, 1200, seed=2))]
    again = send(ndjson(document(*segments)))
    assert (again.duplicate, batch_of(again).state) == (False, Batch.State.QUARANTINED)
    (found,) = Finding.objects.all()
    assert (found.test, found.version) == ("part_stored", version)
    said = evidence(found, "here")
    assert f"All 1,500 records are stored already, for {days_ago(1):%b %-d, %Y}." in said.words
    assert found.p_value < 1e-50


def test_rows_are_as_many_for_a_large_upload_as_for_a_small_one(fruits: Version) -> None:
    for size in (1000, 5000):
        RecordFingerprint.objects.all().delete()
        send_lines(fruits, honest_lines(fruits, size, seed=size))
        rows = RecordFingerprint.objects.values_list("version", "day")
        assert list(rows) == [(fruits.pk, utc_today())] * 64


# --- For how long ---


def test_withdrawn_in_quarantine_the_first_stays_known(fruits: Version) -> None:
    lines = honest_lines(fruits, 1500, seed=1)
    send_lines(fruits, lines)
    for _ in range(2):
        again = batch_of(send_lines(fruits, lines[:1400]))
        assert again.state == Batch.State.QUARANTINED
        assert RecordFingerprint.objects.count() == 128
        withdraw(again)
        assert RecordFingerprint.objects.count() == 64
        assert UploadDigest.objects.count() == 1


def test_withdrawn_the_first_is_forgotten(fruits: Version) -> None:
    lines = honest_lines(fruits, 1500, seed=1)
    withdraw(batch_of(send_lines(fruits, lines)))
    assert not RecordFingerprint.objects.exists()
    assert batch_of(send_lines(fruits, lines[:1400])).state == Batch.State.OPEN


def test_released_to_another_day_it_is_known_there(fruits: Version, alice: User) -> None:
    lines = honest_lines(fruits, 1500, seed=1)
    send_lines(fruits, lines, day=1)
    held = batch_of(send_lines(fruits, lines[:1400], day=1))
    seal_days(fruits, last=days_ago(1))
    assert release(held, alice).day == utc_today()
    for kept, times in ((RecordFingerprint, 64), (UploadDigest, 1)):
        rows = list(kept._default_manager.values_list("day", flat=True))
        assert sorted(rows) == [days_ago(1)] * times + [utc_today()] * times
    withdraw(held)
    assert set(RecordFingerprint.objects.values_list("day", flat=True)) == {days_ago(1)}


@pytest.mark.django_db(transaction=True)
def test_deleted_on_demand_all_is_forgotten() -> None:
    fruits = define(parameters=LONG)
    send_lines(fruits, honest_lines(fruits, 1000, seed=1), day=1)
    seal_days(fruits)
    send_lines(fruits, honest_lines(fruits, 1000, seed=2))
    delete_all(fruits.use_case)
    assert not RecordFingerprint.objects.exists()
    assert not UploadDigest.objects.exists()
