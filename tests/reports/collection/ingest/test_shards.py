"""A shard is a function of the multiset of its records: whatever the order and the batches, the same bytes."""

import datetime
import random
import resource
from pathlib import Path

import numpy as np
import pytest
from django.db import models

from aggregation.encoding import sort_records
from reports.collection import seal_days
from reports.collection.ingest import collector, sorting
from reports.models import Batch, Shard, Version
from reports.models.uploads import utc_today
from reports.storage import open_array
from tests.reports.factories import (
    batch_of,
    document,
    left_in_spool,
    ndjson,
    of_records,
    record_lines,
    segment,
    send,
    shard_folder,
    sizes_by,
    stored_files,
)

pytestmark = [pytest.mark.exact]


def shards_of(day: datetime.date) -> dict[str, bytes]:
    """The bytes of each locale's sealed shard."""
    found = Shard.objects.filter(day=day, batch=None)
    return {shard.locale: stored_files()[shard.file_name] for shard in found}


def test_a_shard_holds_exactly_the_records_sorted_by_row_then_bytes(version: Version) -> None:
    lines = record_lines(500)
    send(of_records(lines))
    records = open_array(Shard.objects.get().file_name)
    rows = records["row"].astype(int)
    assert [f"{row},{bits.tobytes().hex()}" for row, bits in zip(rows, records["bits"], strict=True)] == sorted(
        lines, key=lambda line: (int(line.split(",")[0]), line.split(",")[1])
    )
    assert records.dtype == version.mechanism.record_dtype("element")


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_and_split_in_any_way_the_same_bytes(version: Version, seed: int) -> None:
    """One batch in order on one day, the same records in any order, segments, documents and batches on another."""
    rng = random.Random(seed)
    lines = {"en_US": record_lines(400, 1), "fr_FR": record_lines(300, 2)}
    lines["en_US"] += lines["en_US"][:50]  # equal records both count
    today, yesterday = utc_today(), utc_today() - datetime.timedelta(days=1)
    send(ndjson(document(*[segment(records, locale=locale) for locale, records in lines.items()])), day=yesterday)

    everything = [(locale, line) for locale, records in lines.items() for line in records]
    rng.shuffle(everything)
    while everything:
        documents = []
        for _document in range(rng.randint(1, 4)):
            taken = [everything.pop() for _ in range(min(len(everything), rng.randint(1, 60)))]
            segments = [segment([line], locale=locale) for locale, line in taken[:10]]
            for locale in rng.sample(sorted(lines), 2):
                segments += [segment([line for where, line in taken[10:] if where == locale], locale=locale)]
            documents.append(document(*segments))
        if any(item["records"] for found in documents for item in found["segments"]):
            send(ndjson(*documents), day=today)
    assert Batch.objects.filter(day=today).count() > 1

    seal_days(version)
    assert shards_of(today) == shards_of(yesterday)
    assert set(shards_of(today)) == {"en_US", "fr_FR"}
    assert sorted(Shard.objects.filter(day=today).values_list("size", flat=True)) == [300, 450]


@pytest.mark.parametrize(("held", "merged"), [(1, 1), (2000, 200), (1 << 20, 500)])
def test_spilled_and_merged_the_same_bytes(
    version: Version, held: int, merged: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records that do not fit into memory are spilled to sorted files; merged, they are as if sorted at once."""
    today, yesterday = utc_today(), utc_today() - datetime.timedelta(days=1)
    lines, other = record_lines(300), record_lines(100, 3)
    body = of_records(lines + lines[:20]) + of_records(other, locale="fr_FR")
    send(body, day=yesterday)
    monkeypatch.setattr(collector, "CHECKED_RECORDS", 16)
    monkeypatch.setattr(sorting, "HELD_BYTES", held)
    monkeypatch.setattr(sorting, "MERGE_BYTES", merged)
    send(body, day=today)
    assert not left_in_spool()
    first, second = Shard.objects.all()
    assert first.slices() == second.slices()
    assert {each.locale: each.size for each in first.slices()} == {"en_US": 320, "fr_FR": 100}
    assert stored_files()[first.file_name] == stored_files()[second.file_name]
    send(of_records(lines[:20]), day=today)
    send(of_records(lines[:20]), day=yesterday)
    seal_days(version)
    assert shards_of(today) == shards_of(yesterday)
    assert not left_in_spool()


def test_memory_is_bounded_by_characters_too(version: Version, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many locales with a few long records each must not wait until one of them has a block."""
    waiting: list[int] = []
    real = collector.Collector._check

    def check(self: collector.Collector, target: object) -> None:
        waiting.append(sum(len(unchecked.records) for unchecked in self._unchecked.values()))
        real(self, target)  # type: ignore[arg-type]

    monkeypatch.setattr(collector.Collector, "_check", check)
    monkeypatch.setattr(collector, "UNCHECKED_BYTES", 3000)
    body = b"".join(of_records([line], locale=locale) for line in record_lines(50) for locale in ("en_US", "fr_FR"))
    assert send(body).accepted == 100
    assert max(waiting) < 20
    assert sizes_by("locale") == [("en_US", 50), ("fr_FR", 50)]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see what is mapped")
def test_what_is_merged_does_not_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mapped() -> int:
        (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssFile"))
        return int(line.split()[1]) << 10

    peak = 0

    monkeypatch.setattr(sorting, "HELD_BYTES", 24 << 20)
    monkeypatch.setattr(sorting, "MERGE_BYTES", 1 << 20)
    sorter: sorting.Sorter[tuple[str]] = sorting.Sorter(tmp_path)
    rng = np.random.default_rng(0)
    for _ in range(4):
        sorter.add(("x",), np.frombuffer(rng.bytes(24 << 20), "V128"))
    before, peak, merged = mapped(), 0, 0
    ((_key, (_dtype, size, chunks)),) = sorter.finish()
    for chunk in chunks:
        peak, merged = max(peak, mapped()), merged + len(chunk)
    assert merged * 128 == size * 128 == 96 << 20
    assert peak - before < 32 << 20


def test_more_batches_than_files_can_be_open(version: Version) -> None:
    """Sealing reads small shards one after the other."""
    lines = record_lines(90)
    for line in lines:
        send(of_records([line]))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (80, hard))
    try:
        seal_days(version)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    records = open_array(Shard.objects.get().file_name)
    assert len(records) == 90
    assert np.array_equal(records, sort_records(version.mechanism.parse_records(lines).streams["element"]))


# --- No time finer than a day, no trace of a sender ---


def test_files_carry_the_day_as_their_time(version: Version) -> None:
    yesterday = utc_today() - datetime.timedelta(days=1)

    def time_of(day: datetime.date) -> float:
        return (shard_folder() / Shard.objects.get(day=day).file_name).stat().st_mtime

    midnight = datetime.datetime.combine(yesterday, datetime.time(), datetime.UTC).timestamp()
    send(of_records(record_lines(5)), day=yesterday)
    opened = Shard.objects.get().file_name
    assert time_of(yesterday) == midnight
    seal_days(version)
    assert Shard.objects.get().file_name != opened
    assert time_of(yesterday) == midnight
    send(of_records(record_lines(5)), day=yesterday)  # too late: it is counted today
    assert time_of(utc_today()) == midnight + 24 * 3600


@pytest.mark.parametrize("model", [Batch, Shard])
def test_no_column_is_finer_than_a_day(model: type[models.Model]) -> None:
    for field in model._meta.fields:
        assert not isinstance(field, models.DateTimeField | models.TimeField | models.DurationField), field


def test_batches_cannot_be_ordered_by_arrival(version: Version) -> None:
    """Their identifiers are random, and so is the order of their shards' keys."""
    assert Batch._meta.pk.get_internal_type() == "UUIDField"
    batches = [batch_of(send(of_records(record_lines(1)))).pk for _ in range(12)]
    assert all(batch.version == 4 for batch in batches)
    assert [batch.pk for batch in Batch.objects.all()] == sorted(batches) != batches
    assert list(Batch.objects.order_by("shards__pk").values_list("pk", flat=True)) != batches
