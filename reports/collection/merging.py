"""Merging of what came on a closed day: the files of its uploads become one for each locale and stream.

Any number of processes may be at it, for the same day as well. Many files are first *gathered*, so many at a time into
one of their kind; when there are few enough to be read together, all locales are *split* off them, some at a time. A
step is one transaction: whenever a process dies, each record is in exactly one file that a row owns.
"""

import json
import random
import uuid
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from django.db import transaction

from reports.collection.ingest.sorting import HELD_BYTES, merged
from reports.jobs import call_worker
from reports.locks import Lock, advisory_lock, free_locks
from reports.models import Sealing, Shard, Version
from reports.pending_files import committed, delete_after_commit, stored
from reports.record_files import Array, RecordFile, Records, range_of, views, write_records
from reports.statements import Statement, insertion
from reports.storage import open_bytes, spool_folder

# Files that are read together; each may take an open file.
FAN_IN = 128
# If there are more, only some of the smallest are listed, and gathered a few times before they are listed again.
LISTED_TIMES = 64
GATHERED_TIMES = 8
# Locales are split off together if their records are not more than that, and then in memory.
SPLIT_BYTES = HELD_BYTES // 2
# There are so many such shares at least, for others may be at it; unless a share would be too small to be worth that.
SPLIT_TIMES = 4
FEWEST_SPLIT_BYTES = 1 << 20

_KEEP = """
UPDATE reports_shard AS shard SET index = rest.index, size = rest.size
FROM unnest(%s::uuid[], %s::jsonb[], %s::bigint[]) AS rest (id, index, size) WHERE shard.id = rest.id
"""

# Sorted records by locale and stream, of several files.
_Parts: TypeAlias = dict[tuple[str, str], list[Array]]


def merge_files(sealing: Sealing) -> None:
    """Merge all files of a sealing, together with others who are at it; returns when that is done."""
    # Not while its reports are deleted.
    with advisory_lock(Lock.MERGE, sealing.pk, shared=True):
        is_called = False
        while left := _gather(sealing, GATHERED_TIMES if is_called else 1):
            is_called = is_called or _call_another(sealing, left)
        with advisory_lock(Lock.GATHER, sealing.pk):
            pass  # what others gather is no longer being gathered
        while left := _split(sealing):
            is_called = is_called or _call_another(sealing, left)


def _call_another(sealing: Sealing, left: int) -> bool:
    """Call another worker once, who calls the next, if more is left than one is at. Never if nothing succeeds here."""
    if left > 1:
        call_worker("reports.merge_files", sealing.pk)
    return left > 1


def _gather(sealing: Sealing, most: int) -> int:
    """Make one file of several, at most so many times, if there are more than can be read together.

    Returns how often that was to be done. Half of it at most is done at a time, for others may be at it.
    """
    rows = sealing.shards.unclosed()
    with advisory_lock(Lock.GATHER, sealing.pk, shared=True):
        surplus = rows.count() - FAN_IN
        times = max(0, -(-surplus // (FAN_IN - 1)))
        listed = min(times, LISTED_TIMES)
        # The smallest: so the least is written again. Others who are at it rarely begin with the same.
        keys = list(rows.order_by("size", "pk").values_list("pk", flat=True)[: listed * FAN_IN])
        first = FAN_IN * random.randrange(listed) if listed else 0  # noqa: S311
        left = iter(keys[first:] + keys[:first])
        for _ in range(min(most, -(-listed // 2))):
            gathered = _gather_some(sealing, left, min(surplus + 1, FAN_IN))
            surplus -= gathered
            if not gathered:
                break
    return times


def _gather_some(sealing: Sealing, listed: Iterator[uuid.UUID], number: int) -> int:
    """Make one file of so many that no other process has just taken; returns how many fewer there are.

    Not in a transaction, which would keep rows of others from being forgotten while files are read and stored.
    """
    with free_locks(Lock.GATHERED, listed, number) as (keys, of_others):
        # Some may just have been gathered. By keys alone: else all of the sealing is looked through.
        taken = list(Shard.objects.filter(pk__in=keys).order_by())
        if len(taken) > 1:
            parts = _parts(taken, sealing.version)
            with spool_folder() as folder:
                gathered = _written(folder, sealing.version, parts, list(parts))
                with stored([gathered.path], "shards", sealing.day) as (name,):
                    _replace(sealing, taken, gathered, name)
            return len(taken) - 1
    for key in of_others[:1]:
        with advisory_lock(Lock.GATHERED, key):
            pass  # others are at all of them: wait for one
    return 0


@transaction.atomic
def _replace(sealing: Sealing, taken: Sequence[Shard], gathered: RecordFile, name: str) -> None:
    # With an index even if it is of one locale and stream: no run may take it for all that the day has of them.
    row = Shard(**gathered.columns(indexed=True), file_name=name, day=sealing.day, sealing=sealing)
    dropped, *_others = _drop(taken, insertion([row]), committed([name]))
    if dropped < len(taken):
        raise RuntimeError("Another process has gathered files that are locked here.")


def _split(sealing: Sealing) -> int:
    """Split some locales off all files that are left; returns how often that was to be done."""
    keys = [
        (locales, zlib.crc32(f"{sealing.pk} {locales[0]}".encode()))
        for locales in _shares(sealing.version, sealing.shards.all())
    ]
    for locales, key in keys:
        with advisory_lock(Lock.SPLIT, key, wait=False) as acquired:
            if acquired:
                _split_off(sealing, locales)
                return len(keys)
    for _locales, key in keys[:1]:
        with advisory_lock(Lock.SPLIT, key):
            pass  # others are at all of them: wait for one
    return len(keys)


def _shares(version: Version, rows: Iterable[Shard]) -> Iterator[list[str]]:
    """Yield the locales that are split off together, of all that a sealing has, unless it is done.

    A share ends with the locale by which it is large enough, so that it stays the same when others are gone.
    """
    sizes: Counter[str] = Counter()
    left = set()
    for row in rows:
        for each in row.slices():
            sizes[each.locale] += each.num_bytes(version.mechanism)
            if row.batch_id is not None or row.index is not None:
                left.add(each.locale)
    enough = min(SPLIT_BYTES, max(FEWEST_SPLIT_BYTES, sizes.total() // SPLIT_TIMES))
    share, size = [], 0
    locales = sorted(sizes)
    for locale in locales:
        share.append(locale)
        size += sizes[locale]
        if size >= enough or locale == locales[-1]:
            if not left.isdisjoint(share):
                yield share
            share, size = [], 0


def _split_off(sealing: Sealing, locales: Collection[str]) -> None:
    parts = _parts(sealing.shards.unclosed(), sealing.version, locales)
    with spool_folder() as folder:
        files = [_written(folder, sealing.version, parts, [key]) for key in sorted(parts)]  # none if another was faster
        with stored([file.path for file in files], "shards", sealing.day) as names:
            closed = [
                Shard(**file.columns(), file_name=name, day=sealing.day, sealing=sealing)
                for file, name in zip(files, names, strict=True)
            ]
            _swap(sealing, locales, closed)


@transaction.atomic
def _swap(sealing: Sealing, locales: Collection[str], closed: Sequence[Shard]) -> None:
    """Put the files of some locales in the place of their slices."""
    gone, left = [], []
    for row in sealing.shards.unclosed().order_by("pk").select_for_update():
        rest = [each for each in row.slices() if each.locale not in locales]
        if rest:
            left.append((row.pk, json.dumps(rest), sum(each.size for each in rest)))
        else:
            gone.append(row)
    statements = []
    if left:
        statements.append(Statement(_KEEP, [list(column) for column in zip(*left, strict=True)]))
    if closed:  # or another was faster
        statements += [insertion(closed), committed(row.file_name for row in closed)]
    _drop(gone, *statements)


def _parts(rows: Iterable[Shard], version: Version, locales: Collection[str] | None = None) -> _Parts:
    """Open what files have, or have of some locales, which lie side by side: in memory unless it is much."""
    found = ((row, [each for each in row.slices() if locales is None or each.locale in locales]) for row in rows)
    wanted = [(slices, range_of(row, version.mechanism, slices)) for row, slices in found if slices]
    ranges = [each for _slices, each in wanted]
    mapped = sum(each.stop - each.start for each in ranges) > HELD_BYTES
    parts: _Parts = {}
    for (slices, _range), data in zip(wanted, open_bytes(ranges, mapped=mapped), strict=True):
        for each, records in zip(slices, views(data, slices, version.mechanism), strict=True):
            parts.setdefault((each.locale, each.stream), []).append(records)
    return parts


def _written(folder: Path, version: Version, parts: _Parts, keys: Sequence[tuple[str, str]]) -> RecordFile:
    found = [Records(*key, merged(parts[key])) for key in sorted(keys)]
    return write_records(folder / f"{'-'.join(keys[0])}.npy", version, found)


def _drop(rows: Collection[Shard], *others: Statement) -> list[int]:
    """Drop rows that no run reads, and their files; returns how many these were, and what others have written."""
    drop = Statement("DELETE FROM reports_shard WHERE id = ANY(%s)", [[row.pk for row in rows]])
    return delete_after_commit([row.file_name for row in rows], drop, *others)
