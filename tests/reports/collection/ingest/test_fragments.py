"""Reports about unknown words: each is taken apart on its way in, and nothing stored puts it together again."""

import datetime
import random
from typing import Any

import numpy as np
import pytest

from aggregation.encoding import sort_records
from aggregation.mechanisms import SequenceFragmentPuzzle, mechanism_for
from reports.collection import seal_days, withdraw
from reports.collection.ingest import collector, sorting
from reports.models import Batch, Shard, Version
from reports.models.uploads import utc_today
from tests.reports.collection.ingest.bad_records import assert_each_dropped_alone
from tests.reports.collection.ingest.doors import through_core
from tests.reports.factories import (
    SEED,
    batch_of,
    document,
    left_in_spool,
    make_version,
    memory_below,
    ndjson,
    record_lines,
    segment,
    send,
    sizes_by,
    slices_of,
)

pytestmark = [pytest.mark.exact, pytest.mark.usefixtures("discovering")]

ALGORITHM = "SequenceFragmentPuzzle"
SLANG = "slang"
# The two halves of a record differ in k and m, so that one does not pass for the other.
SLANG_WIRE: dict[str, Any] = {
    "epsilon": 2,
    "k": 64,
    "m": 32,
    "fragment_epsilon": 6,
    "fragment_k": 40,
    "fragment_m": 16,
    "length": 10,
    "hash": "quadratic-m31-v1",
    "seed": SEED,
}
WORDS = ["wyd_______", "despacito_", "mayweather"]
STREAMS = ["element", *(f"fragment-{position}" for position in (1, 3, 5, 7, 9))]


@pytest.fixture
def discovering(db: None) -> Version:
    return make_version(
        slug=SLANG,
        algorithm=ALGORITHM,
        normalization="word",
        alphabet="abcdefghijklmnopqrstuvwxyz'",
        dictionary=None,
        parameters={name: value for name, value in SLANG_WIRE.items() if name != "hash"},
    )


def slang_parts(count: int, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return own_mechanism().privatize_fleet(WORDS, rng.integers(0, len(WORDS), count), rng)


def slang_lines(count: int, seed: int = 0) -> list[str]:
    return own_mechanism().format_records(slang_parts(count, seed))


def own_mechanism() -> SequenceFragmentPuzzle:
    mechanism = mechanism_for(ALGORITHM, SLANG_WIRE)
    assert isinstance(mechanism, SequenceFragmentPuzzle)
    return mechanism


def slang(records: list[Any], **changes: Any) -> dict[str, Any]:
    return segment(records, **{"use_case": SLANG, "algorithm": ALGORITHM, "parameters": SLANG_WIRE} | changes)


def stored(day: datetime.date | None = None, **conditions: Any) -> dict[str, bytes]:
    """The records of each stream, which are all in one file."""
    shards = Shard.objects.filter(day=day or utc_today(), **conditions)
    found = [(stream, records) for shard in shards for (_locale, stream), records in slices_of(shard).items()]
    assert len(dict(found)) == len(found)
    return {stream: records.tobytes() for stream, records in found}


GOOD = slang_lines(5)


# --- What is kept of a report ---


def test_reports_go_to_six_streams_and_count_once(discovering: Version) -> None:
    lines = slang_lines(300)
    receipt = send(ndjson(*(document(slang(lines[start : start + 70])) for start in range(0, 300, 70))))
    assert (receipt.accepted, receipt.rejected) == (300, {})
    assert Batch.objects.get().accepted == 300
    sizes = dict(sizes_by("stream"))
    assert sorted(sizes) == STREAMS == sorted(discovering.mechanism.streams)
    assert sizes["element"] == 300
    assert sum(sizes.values()) == 600
    parsed = discovering.mechanism.parse_records(lines).streams
    for (_locale, stream), records in slices_of(Shard.objects.get()).items():
        assert records.dtype == discovering.mechanism.record_dtype(stream)
        assert records.tobytes() == sort_records(parsed[stream]).tobytes()
        assert len(records) == sizes[stream]


def test_a_stream_that_nothing_came_for_has_no_shard() -> None:
    (line,) = slang_lines(1)
    assert send(ndjson(document(slang([line])))).accepted == 1
    assert sizes_by("stream") == [("element", 1), (f"fragment-{line.split(',')[0]}", 1)]


@pytest.mark.parametrize("held", [1, 2000])
def test_which_fragment_came_with_which_word_is_not_kept(
    discovering: Version, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal words and fragments in other pairs, another order and other batches make the same bytes."""
    parts, today, yesterday = slang_parts(400), utc_today(), utc_today() - datetime.timedelta(days=1)
    order = np.random.default_rng(held).permutation(400)
    others = {name: parts[name][order] if name != "element" else parts[name] for name in parts}
    lines, other_lines = map(own_mechanism().format_records, (parts, others))
    assert set(lines) != set(other_lines)
    send(ndjson(document(slang(lines))), day=yesterday)

    # At once: a batch's own shards tell no more than those of the other pairs.
    first = send(ndjson(document(slang(other_lines))))
    assert stored(yesterday) == stored(today)
    withdraw(batch_of(first))
    assert not Shard.objects.filter(day=today).exists()

    monkeypatch.setattr(collector, "CHECKED_RECORDS", 16)
    monkeypatch.setattr(sorting, "HELD_BYTES", held)
    monkeypatch.setattr(sorting, "MERGE_BYTES", held)
    random.Random(held).shuffle(other_lines)
    for start in range(0, 400, 90):
        send(ndjson(*(document(slang([line])) for line in other_lines[start : start + 90])))
    assert Shard.objects.filter(day=today).count() == 5
    seal_days(discovering)
    assert sorted(stored(today)) == STREAMS
    assert stored(yesterday) == stored(today)
    sizes = [
        list(Shard.objects.filter(day=day).order_by("stream").values_list("stream", "size"))
        for day in (yesterday, today)
    ]
    assert sizes[0] == sizes[1]
    assert not left_in_spool()


# --- What is not taken in ---

# One for each reason, and what only JSON can bring; all lines are tested where they are parsed, in tests/aggregation.
BAD_RECORDS: dict[str, tuple[object, str]] = {
    "position 11": ("11,7,8040,17,80400001", "malformed_record"),
    "fragment's row k'": ("3,40,8040,17,80400001", "row_out_of_range"),
    "word's row k": ("3,7,8040,64,80400001", "row_out_of_range"),
    "word first": ("3,17,80400001,7,8040", "wrong_length"),
    "no fragment": ("3,17,80400001", "malformed_record"),
    "two lines": ("3,7,8040,17,80400001\n3,7,8040,17,80400001", "malformed_record"),
    "bit vector": (record_lines(1)[0], "malformed_record"),
    "list": ([3, 7, "8040", 17, "80400001"], "malformed_record"),
    "null": (None, "malformed_record"),
}


def test_each_bad_record_is_dropped_alone() -> None:
    accepted = assert_each_dropped_alone(BAD_RECORDS, GOOD, slang)
    sizes = dict(sizes_by("stream"))
    assert sizes.pop("element") == accepted == sum(sizes.values())


LONG = 4 << 20
MARK = "Zq8longqZ"
LONG_RECORDS: dict[str, tuple[str, str]] = {
    "no field": (MARK + "7" * LONG, "malformed_record"),
    "position": ("1" * LONG + ",7,8040,17,80400001", "malformed_record"),
    "row": (f"3,{'7' * LONG},8040,17,80400001", "row_out_of_range"),
    "fragment": (f"3,7,{'8' * LONG},17,80400001", "wrong_length"),
    "word": (f"3,7,8040,17,{'8' * LONG}", "wrong_length"),
    "commas": ("," * LONG, "malformed_record"),
}


@pytest.mark.parametrize(("bad", "reason"), LONG_RECORDS.values(), ids=LONG_RECORDS.keys())
def test_a_long_record_is_dropped_in_bounded_memory(bad: str, reason: str) -> None:
    body = ndjson(document(slang([*GOOD, bad])))
    # Some copies of the line: its bytes, its text, the record in it, and the block that it is checked in.
    with memory_below(12 * LONG):
        outcome = through_core(body)
    assert (outcome.accepted, outcome.rejected) == (5, {reason: 1})
    assert MARK not in outcome.said
