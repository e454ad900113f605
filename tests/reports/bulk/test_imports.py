"""Reports that lie in folders and buckets: read once each, whatever ends in the middle."""

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from reports.bulk import import_jobs, look_everywhere, parquet_reports, start_import, tally_of
from reports.bulk.buckets import Bucket, client
from reports.collection.ingest import UploadRefused
from reports.jobs import finish_inline
from reports.jobs.leases import claim
from reports.jobs.working import MOST_LOST, begin, do
from reports.models import Batch, Import, ImportPart, ReadObject, Shard, Version
from tests.reports.bulk.conftest import columns, documents, read, write_parquet
from tests.reports.small_fleet import days_ago, define, send
from tests.s3 import S3Server

PAGE = "/imports/"

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


def records() -> dict[tuple[str, str], int]:
    """Records stored by locale and day."""
    found: dict[tuple[str, str], int] = {}
    for shard in Shard.objects.all():
        place = (shard.locale, str(shard.day))
        found[place] = found.get(place, 0) + shard.size
    return found


def test_a_folder_is_read_once_whatever_the_form_of_its_files(tmp_path: Path) -> None:
    version, yesterday = define(), days_ago(1)
    day = tmp_path / f"day={yesterday}"
    day.mkdir()
    (day / "a.ndjson").write_bytes(documents(version, 100, seed=1))
    (day / "b.ndjson.gz").write_bytes(gzip.compress(documents(version, 200, seed=2)))
    (tmp_path / "c.json.zst").write_bytes(zstandard.compress(documents(version, 1, seed=3)))
    rows = columns(version, 400, locale="fr_FR", seed=4)
    rows["record"][7] = "no record"
    rows["use_case"][8] = "another"
    write_parquet(day / "host-17.parquet", rows)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    # Files of engines, of people, and files that are being written.
    for name in ("_SUCCESS", ".c.json.crc", "_temporary/d.ndjson", "read-me.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(documents(version, 10))
    done = read(tmp_path)
    assert (done.state, done.failure) == (Import.State.FINISHED, "")
    told = tally_of(done).stored()
    assert told == {
        "objects": 5,
        "gone": 0,
        "blocks": 5,
        "accepted": 699,
        "known": 0,
        "rejected": {"malformed_record": 1, "unknown_use_case": 1},
        "refused": {"broken-upload": 1},
    }
    assert records() == {
        ("en_US", str(yesterday)): 300,
        ("fr_FR", str(yesterday)): 398,
        ("en_US", str(days_ago(0))): 1,
    }
    # Nothing of their names is left, and nothing is read again.
    assert not ImportPart.objects.exists()
    assert ReadObject.objects.count() == 5
    assert tally_of(read(tmp_path)).objects == 0
    # But what is another by now.
    (day / "a.ndjson").write_bytes(documents(version, 50, seed=5))
    assert tally_of(read(tmp_path)).accepted == 50


def test_parquet_is_what_the_same_documents_are(tmp_path: Path) -> None:
    version = define()
    write_parquet(tmp_path / "a.parquet", columns(version, 1500, seed=1), row_group_size=400, use_dictionary=False)
    assert tally_of(read(tmp_path)).accepted == 1500
    assert send(version, 1500, seed=1)[0].duplicate


def test_bad_cells_are_left_out_for_the_reasons_of_documents(tmp_path: Path) -> None:
    rows = columns(define(), 8, seed=1)
    rows["parameters"][0] = "no object"
    rows["parameters"][1] = '{"epsilon": 8, "epsilon": 8}'
    rows["parameters"][2] = rows["parameters"][2].replace(", ", ",\n")
    rows["parameters"][3] = '{"epsilon": 9}'
    rows["locale"][4] = None
    rows["record"][5] = None
    write_parquet(tmp_path / "a.parquet", rows)
    rejected = {"malformed_document": 3, "parameters_mismatch": 1, "malformed_record": 1}
    told = tally_of(read(tmp_path))
    assert (told.accepted, dict(told.rejected)) == (3, rejected)
    for change in ({"record": [1] * 8}, {"locale": [b"en_US"] * 8}):
        write_parquet(tmp_path / f"{next(iter(change))}.parquet", rows | change)
    del rows["algorithm"]
    write_parquet(tmp_path / "few.parquet", rows)
    assert tally_of(read(tmp_path)).refused == {"broken-upload": 3}


def test_texts_that_a_dictionary_repeats_are_decoded_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_reports, "BATCH_BYTES", 10_000)
    rows = columns(define(), 1)
    for count, length in ((200, 1000), (2, 10_001)):
        write_parquet(
            tmp_path / "a.parquet",
            {name: each * count for name, each in rows.items()} | {"record": ["0" * length] * count},
        )
        with (tmp_path / "a.parquet").open("rb") as file:
            assert file.seek(0, 2) < 10_000
            reports = parquet_reports.ParquetReports(file)
            found = reports.documents(range(1))
            if length > 10_000:
                with pytest.raises(UploadRefused, match="larger than any report"):
                    found.read()
            else:
                sizes = [len(line) for line in found]
                assert sum(sizes) > 200_000
                assert max(sizes) < 20_000


def test_an_object_that_ends_every_worker_is_refused_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(documents(define(), 10))
    (tmp_path / "b.ndjson").write_bytes(documents(Version.objects.get(), 20, seed=1))
    order = start_import(f"{tmp_path}/", ring=False)
    begin(order)
    ImportPart.objects.filter(name="a.ndjson").update(attempts=MOST_LOST)
    told = tally_of(finish_inline(order))
    assert (told.objects, told.accepted, told.refused) == (2, 20, {"decompression-bomb": 1})
    assert tally_of(read(tmp_path)).objects == 0


class Killed(BaseException):
    """As `kill -9`: nothing that follows is done."""


@pytest.mark.parametrize("when", ["stored", "noted"])
def test_a_worker_that_is_killed_between_blocks_loses_and_doubles_nothing(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = define()
    # So few in each that they are not recognised by their content.
    write_parquet(tmp_path / "a.parquet", columns(version, 300), row_group_size=100)
    monkeypatch.setattr(parquet_reports, "BLOCK_BYTES", 1)
    whole, left = import_jobs._outcome, 2

    def killed(*args: Any) -> Any:
        nonlocal left
        if when == "noted" and not left:
            raise Killed
        outcome = whole(*args)
        left -= 1
        if when == "stored" and not left:
            raise Killed
        return outcome

    monkeypatch.setattr(import_jobs, "_outcome", killed)
    with pytest.raises(Killed):
        read(tmp_path)
    monkeypatch.setattr(import_jobs, "_outcome", whole)
    assert sum(records().values()) == 200
    ImportPart.objects.update(lease_expires_at=timezone.now())
    done = tally_of(read(tmp_path))
    assert (done.accepted + done.known, done.blocks) == (300, 3)
    assert records() == {("en_US", str(days_ago(0))): 300}
    assert Batch.objects.count() == 3


def test_the_schedule_reads_for_the_use_cases_that_are_named(tmp_path: Path, settings: Settings) -> None:
    version = define()
    (tmp_path / "a.ndjson").write_bytes(documents(version, 10))
    settings.LDPSITE_REPORT_SOURCES = {f"{tmp_path}/": ["fruits", "not-there"]}
    look_everywhere()
    assert not Import.objects.exists()
    settings.LDPSITE_REPORT_SOURCES = {f"{tmp_path}/": ["fruits"], "/not/there/": []}
    look_everywhere()
    look_everywhere()
    order = Import.objects.get()
    assert order.use_case_ids == [version.use_case_id]
    assert finish_inline(order).tally["accepted"] == 10
    look_everywhere()
    assert Import.objects.count() == 1


def test_the_command_reads_a_folder_and_says_what_became_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(documents(define(), 10))
    out = io.StringIO()
    call_command("ingest", f"{tmp_path}/", inline=True, day=days_ago(1), stdout=out)
    told = json.loads(out.getvalue())
    assert (told["state"], told["objects"], told["accepted"]) == ("finished", 1, 10)
    assert records() == {("en_US", str(days_ago(1))): 10}


def test_a_bucket_is_read_and_waited_for_while_it_is_away(
    lake: tuple[Any, str], s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, (bucket, address) = define(), lake
    name = address.removeprefix("s3://").partition("/")[0]
    write_parquet(tmp_path / "a.parquet", columns(version, 300, seed=1), row_group_size=100)
    bucket.put_object(Bucket=name, Key="lake/a.parquet", Body=(tmp_path / "a.parquet").read_bytes())
    bucket.put_object(Bucket=name, Key="lake/day=2026-02-30/b.ndjson", Body=documents(version, 100, seed=2))
    bucket.put_object(Bucket=name, Key="elsewhere.ndjson", Body=documents(version, 7, seed=3))
    found = Bucket.read

    def away(self: Bucket, *args: Any) -> bytes:
        s3.stop()
        monkeypatch.setattr(Bucket, "read", found)
        return found(self, *args)

    monkeypatch.setattr(Bucket, "read", away)
    monkeypatch.setattr("reports.jobs.working.POLL_SECONDS", 0.01)
    order = import_until_it_waits(f"{address}/")
    assert "Waiting for the storage" in order.failure_in_words
    s3.start()
    Import.objects.update(not_before=None)
    told = tally_of(finish_inline(order))
    assert (told.objects, told.accepted, told.refused) == (2, 400, {})
    assert tally_of(read(address)).objects == 0


def import_until_it_waits(address: str) -> Import:
    order = start_import(address, ring=False)
    begin(order)
    do(claim(order))
    order.refresh_from_db()
    return order


def test_request_to_a_bucket_is_tried_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "7")
    assert client.__wrapped__().meta.config.retries == {"mode": "standard", "total_max_attempts": 2}


def test_an_object_that_changed_since_it_was_listed_is_left_to_the_next_look(lake: tuple[Any, str]) -> None:
    version, (bucket, address) = define(), lake
    name = address.removeprefix("s3://").partition("/")[0]

    def put(seed: int) -> None:
        bucket.put_object(Bucket=name, Key="lake/a.ndjson", Body=documents(version, 100 + seed, seed=seed))

    put(1)
    order = start_import(f"{address}/", ring=False)
    begin(order)
    put(2)
    assert tally_of(finish_inline(order)).gone == 1
    assert tally_of(read(address)).accepted == 102


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_parquet(tmp_path / "a.parquet", columns(define(), 3))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = read(tmp_path)
    assert done.state == Import.State.FAILED
    assert "pyarrow" in done.failure_in_words
    monkeypatch.undo()
    # The next one takes up what failed.
    assert tally_of(read(tmp_path)).accepted == 3
    assert not ImportPart.objects.exists()


def test_owners_see_and_order_what_is_theirs_alone(
    tmp_path: Path, settings: Settings, as_alice: Client, as_bob: Client, admin_client: Client
) -> None:
    version = define()
    define(slug="others", title="Others", owner_group="others")
    for name in ("mine", "every", "both"):
        (tmp_path / name).mkdir()
    rows = columns(version, 300)
    rows["record"][0] = "none"
    write_parquet(tmp_path / "mine/a.parquet", rows)
    (tmp_path / "mine/b.json").write_bytes(b"{")
    settings.LDPSITE_REPORT_SOURCES = {
        f"{tmp_path}/mine/": ["fruits"],
        f"{tmp_path}/every/": [],
        f"{tmp_path}/both/": ["fruits", "others"],
    }
    assert as_bob.get(PAGE).status_code == 404
    page = as_alice.get(PAGE).content.decode()
    assert ("/mine/" in page, "/every/" in page, "/both/" in page) == (True, False, False)
    assert "Nothing was read from here yet." in page
    assert all(f"/{name}/" in admin_client.get(PAGE).content.decode() for name in ("mine", "every", "both"))
    assert as_alice.post(PAGE, {"address": f"{tmp_path}/both/"}).status_code == 404
    assert as_alice.post(PAGE, {"address": f"{tmp_path}/mine/"}).status_code == 302
    order = Import.objects.get()
    begin(order)
    assert "0 of 2 objects are read" in as_alice.get(f"{PAGE}?live").content.decode()
    finish_inline(order)
    page = as_alice.get(PAGE).content.decode()
    assert "All that was there at" in page
    # Fewer records than the minimum are not told.
    assert (">299<" in page, "fewer than 100" in page, "it is damaged" in page) == (True, True, True)
