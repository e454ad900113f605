"""Advisory locks of the database, for work that one may do at a time without holding rows that others need.

They end with the session or the transaction, so that a process that dies leaves none behind.
"""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from itertools import islice
from typing import NamedTuple

from django.db import connection


class Lock(IntEnum):
    """Lock namespaces: the first of PostgreSQL's two keys. The offset keeps clear of other users of the database."""

    DAYS = 0x6C647001  # of a version: shared by uploads and withdrawals, exclusive for sealing
    MERGE = 0x6C647002  # of a sealing: shared for merging its files, exclusive for deleting them
    PLAN = 0x6C647003  # of a job
    COMPLETE = 0x6C647004  # of a job
    PUBLICATIONS = 0x6C647005  # of a version
    DEMO = 0x6C647006  # of defining the demo, or of filling it
    WAITING = 0x6C647007  # of all records of devices that wait: for rewriting or deleting them, not for adding some
    DELIVERY = 0x6C647008  # of a subscription
    UPLOADS = 0x6C647009  # of the records of an upload: for storing them
    FILES = 0x6C647010  # shared for deleting stored files, exclusive for a back-up
    GATHER = 0x6C647011  # of a sealing: shared for making few files of many, exclusive to wait for the end of that
    SPLIT = 0x6C647012  # of some locales of a sealing
    GATHERED = 0x6C647013  # of a shard: for making it one with others


def _second_key(key: int | uuid.UUID) -> int:
    """Return PostgreSQL's second key. Objects that share one wait for each other needlessly, which does no harm."""
    return (key.int if isinstance(key, uuid.UUID) else key) % 2**31


@contextmanager
def advisory_lock(lock: Lock, key: int | uuid.UUID = 0, *, wait: bool = True, shared: bool = False) -> Iterator[bool]:
    """Hold a lock through several transactions. Without `wait`, yields False if another session has it.

    A shared lock may be held by several sessions, as long as none has it alone.
    """
    keys, mode = [lock, _second_key(key)], "_shared" if shared else ""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_{'' if wait else 'try_'}advisory_lock{mode}(%s, %s)", keys)
        (answer,) = cursor.fetchone()
    held = wait or bool(answer)
    try:
        yield held
    finally:
        if held:
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT pg_advisory_unlock{mode}(%s, %s)", keys)


@contextmanager
def free_locks(lock: Lock, keys: Iterable[uuid.UUID], most: int) -> Iterator[tuple[list[uuid.UUID], list[uuid.UUID]]]:
    """Hold so many locks that no other session has, of as many keys as that takes; a statement for many.

    Yields the keys of those that are held, and of those that others have. No two keys may be the same.
    """
    held: list[uuid.UUID] = []
    of_others: list[uuid.UUID] = []
    left = iter(keys)
    try:
        while asked := list(islice(left, most - len(held))):
            for key, answer in zip(asked, _for_each("pg_try_advisory_lock", lock, asked), strict=True):
                (held if answer else of_others).append(key)
        yield held, of_others
    finally:
        _for_each("pg_advisory_unlock", lock, held)


def _for_each(function: str, lock: Lock, keys: Sequence[uuid.UUID]) -> list[bool]:
    with connection.cursor() as cursor:
        # One row after the other, in the order of the array.
        cursor.execute(
            f"SELECT {function}(%s, key) FROM unnest(%s::int[]) AS key",  # noqa: S608
            [lock, [_second_key(key) for key in keys]],
        )
        return [answer for (answer,) in cursor.fetchall()]


def is_held(lock: Lock, key: int) -> bool:
    """Say whether a session has the lock alone, without waiting for it or taking it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid = %s AND objid = %s AND objsubid = 2)",  # 2: a lock of two keys
            [lock, _second_key(key)],
        )
        (answer,) = cursor.fetchone()
    return bool(answer)


class Wanted(NamedTuple):
    """Locks of one kind, by their keys."""

    lock: Lock
    keys: Iterable[int]
    shared: bool = False


def lock_until_commit(lock: Lock, keys: Iterable[int], *, shared: bool = False) -> None:
    """Wait for locks and hold them until the transaction ends. Taking them in one order prevents deadlocks."""
    lock_all_until_commit(Wanted(lock, keys, shared))


def lock_all_until_commit(*wanted: Wanted) -> None:
    """Wait for locks of several kinds, one kind after the other, in one statement."""
    rows = [(each.lock, key, each.shared) for each in wanted for key in sorted(set(map(_second_key, each.keys)))]
    if not rows:
        return
    with connection.cursor() as cursor:
        # One row after the other, in the order of the arrays.
        cursor.execute(
            "SELECT CASE WHEN shared THEN pg_advisory_xact_lock_shared(lock, key)"
            " ELSE pg_advisory_xact_lock(lock, key) END"
            " FROM unnest(%s::int[], %s::int[], %s::bool[]) AS wanted (lock, key, shared)",
            [list(column) for column in zip(*rows, strict=True)],
        )
