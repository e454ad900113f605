"""Files that no row owns yet, or no more: noted in the database, so that crashes leave none behind.

A file is reserved before it is stored, and committed with the row that owns it. `PendingFile` has those in between, and
those whose rows are gone; `sweep_files` removes them.
"""

import datetime
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.db import transaction

from reports.clock import clock_doubt
from reports.locks import Lock, advisory_lock
from reports.models import PendingFile
from reports.models.uploads import utc_today
from reports.statements import Statement, execute_together
from reports.storage import (
    SPOOL_PREFIX,
    StorageUnavailable,
    delete_files,
    is_remote,
    new_name,
    shard_storage,
    store,
)

# A crash is found on the next day: the date is the finest time kept, and no upload lasts that long.
PENDING_DAYS = 2


def reserve(names: Iterable[str]) -> None:
    """Note that files of these names are about to exist. Call outside the transaction that will commit them."""
    execute_together([_pending(names, utc_today())])


@contextmanager
def reserved(names: Collection[str]) -> Iterator[None]:
    """Reserve the names of files that the block stores; those that no row came to own are deleted in the end."""
    with _reserved(names):
        yield
    delete_uncommitted(names)


@contextmanager
def stored(paths: Sequence[Path], kind: str, day: datetime.date) -> Iterator[list[str]]:
    """Store files of a day under new names, which the block commits with their rows; deleted if it raises."""
    names = [new_name(kind) for _ in paths]
    with _reserved(names):
        for path, name in zip(paths, names, strict=True):
            store(path, name, day)
        yield names


@contextmanager
def _reserved(names: Collection[str]) -> Iterator[None]:
    """Reserve the names of files that the block stores; if it raises, those that no row came to own are deleted.

    Not if a remote storage did not answer: it may yet do what it was asked for, and later the sweep deletes what is
    there.
    """
    reserve(names)
    try:
        yield
    except BaseException as error:
        if isinstance(error, StorageUnavailable) and is_remote(shard_storage()):
            raise
        delete_uncommitted(names)
        raise


def commit(names: Iterable[str]) -> None:
    """Note that these files are no longer pending, in the transaction that commits their rows."""
    execute_together([committed(names)])


def committed(names: Iterable[str]) -> Statement:
    """Return the statement that notes that these files are no longer pending."""
    return Statement("DELETE FROM reports_pendingfile WHERE file_name = ANY(%s)", [list(names)])


def delete_uncommitted(names: Iterable[str]) -> None:
    """Delete those of the files that no row came to own.

    A transaction that seems to have failed may be committed nevertheless (the connection broke just then), and so its
    files are asked about: those that a row owns are no longer pending. What cannot be deleted now stays pending for the
    sweep: a caller that failed has more to say than that.
    """
    pending = PendingFile.objects.filter(file_name__in=list(names))
    if left := list(pending.values_list("file_name", flat=True)):
        with suppress(StorageUnavailable):
            _delete(left)


def delete_after_commit(names: Iterable[str], *others: Statement) -> list[int]:
    """Delete stored files once the transaction that dropped their rows is committed.

    What cannot be deleted then, the next sweep deletes: these files are not being written, so that they need not wait.
    Other statements, like those that drop the rows, are executed together with the note; returns how many rows each of
    them has written.
    """
    doomed = list(names)
    _noted, *written = execute_together([_pending(doomed, _horizon()), *others])
    # Robust: what is committed stays committed.
    transaction.on_commit(lambda: _delete_unless_held(doomed), robust=True)
    return written


def sweep_files() -> int:
    """Remove what crashes left behind, here and in the storage; returns how many files were pending for too long."""
    horizon = _horizon()
    for folder in Path(settings.LDPSITE_SPOOL_DIR).glob(f"{SPOOL_PREFIX}*"):
        if datetime.datetime.fromtimestamp(folder.stat().st_mtime, datetime.UTC).date() <= horizon:
            shutil.rmtree(folder, ignore_errors=True)
    names = list(PendingFile.objects.filter(created_on__lte=horizon).values_list("file_name", flat=True))
    return len(names) if _delete_unless_held(names) else 0


def _delete_unless_held(names: list[str]) -> bool:
    """Delete files and return True, or do nothing during a back-up, whose rows may be older and still name them."""
    with advisory_lock(Lock.FILES, wait=False, shared=True) as free:
        if free:
            _delete(names)
    return free


def _delete(names: list[str]) -> None:
    delete_files(names)
    commit(names)


def _pending(names: Iterable[str], since: datetime.date) -> Statement:
    return Statement(
        "INSERT INTO reports_pendingfile (file_name, created_on)"
        " SELECT name, %s FROM unnest(%s::text[]) AS name ON CONFLICT DO NOTHING",
        [since, list(names)],
    )


def _horizon() -> datetime.date:
    """Return the last day whose pending files are not written any more, by the last day known while in doubt."""
    doubt = clock_doubt()
    return (utc_today() if doubt is None else doubt.known) - datetime.timedelta(days=PENDING_DAYS)
