"""Storing of a batch: its files first, then all rows in one short transaction."""

import datetime
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from django.db import transaction

from reports.collection.ingest import recognition
from reports.collection.ingest.content import Content
from reports.collection.ingest.idempotency_keys import Claim
from reports.collection.ingest.problems import Refusal, UploadRefused
from reports.collection.ingest.receipts import refused_as_closed
from reports.collection.ingest.screening import Screened, hold, screened, suspicions
from reports.locks import Lock, Wanted, lock_all_until_commit
from reports.models import Batch, Sealing, Shard
from reports.models.uploads import utc_today
from reports.pending_files import committed, stored
from reports.record_files import RecordFile
from reports.statements import execute_together, insertion
from reports.storage import redate


class DuplicateUpload(Exception):
    """Records of an upload are stored already, or a batch is under its key: `first`, if that is known.

    `day` is the one that the records count on; in quarantine the one on which they would.
    """

    def __init__(self, day: datetime.date, first: Batch | None = None) -> None:
        super().__init__()
        self.day = day
        self.first = first


class _StoredMeanwhile(Exception):
    """Another upload stored the same records first, or something under the same key."""


def store_batch(
    files: Sequence[RecordFile],
    day: datetime.date,
    batch: Batch,
    content: Content,
    claim: Claim | None = None,
    *,
    no_other_day: bool = False,
) -> Batch:
    """Move the files into the storage and commit the batch. Raises `DuplicateUpload`; leaves nothing half done."""
    own = screened(files, content)
    if recognition.stored_on(content):  # mostly known before files are moved, which takes longest
        _raise_if_duplicate(content, claim)
    if no_other_day:  # likewise: a day that is closed stays closed
        _refuse_other_day(collection_days({file.version.pk for file in files}, day, utc_today()), day)
    with stored([file.path for file in files], "shards", day) as names:
        while True:
            with suppress(_StoredMeanwhile):
                return commit_batch(files, names, day, batch, content, own, claim, no_other_day=no_other_day)
            _raise_if_duplicate(content, claim)
            # The other is withdrawn already.


def _raise_if_duplicate(content: Content, claim: Claim | None) -> None:
    if claim is not None and (first := claim.first()):
        raise DuplicateUpload(first.day, first)
    if day := recognition.stored_on(content):
        raise DuplicateUpload(day)


def _refuse_other_day(days: Mapping[int, datetime.date], day: datetime.date) -> None:
    counted = max(days.values())
    if counted != day:
        raise UploadRefused(Refusal.WRONG_DAY, refused_as_closed(day, counted, several=len(days) > 1))


def collection_days(ids: Collection[int], day: datetime.date, today: datetime.date) -> dict[int, datetime.date]:
    """Return the day that reports for `day` are counted on, by version: today, if it is past and sealed, else itself.

    What is stored by it needs the days of the versions locked, and the today of that moment: an upload may take until
    after midnight.
    """
    closed: Collection[int] = ()
    if day < today:
        closed = set(Sealing.objects.filter(version__in=ids, day=day).values_list("version", flat=True))
    return {pk: today if pk in closed else day for pk in ids}


@transaction.atomic
def commit_batch(
    files: Sequence[RecordFile],
    names: Sequence[str],
    day: datetime.date,
    batch: Batch,
    content: Content,
    own: Screened,
    claim: Claim | None = None,
    held_since: datetime.date | None = None,
    *,
    no_other_day: bool = False,
) -> Batch:
    """Write all rows of a batch whose files, one of each version, are in the storage, under reserved names.

    A suspicious batch goes into quarantine, whichever door it came through. Its days there begin today, unless they
    should have begun before. With `no_other_day` a closed day is refused, by `UploadRefused`.
    """
    ids = {file.version.pk for file in files}
    # Until the commit no day of these versions can be sealed; other uploads go on.
    lock_all_until_commit(recognition.locks(content), Wanted(Lock.DAYS, ids, shared=True))
    known = recognition.look_up(content)
    if known.stored_on:
        raise _StoredMeanwhile
    findings = suspicions(own, recognition.stored_before(content, known))
    batch.state = Batch.State.QUARANTINED if findings else Batch.State.OPEN
    today = utc_today()
    days = collection_days(ids, day, today)
    batch.day = max(days.values())  # the latest, should the versions differ
    if no_other_day:
        _refuse_other_day(days, day)
    batch.use_case_ids = sorted({file.version.use_case_id for file in files})
    named = list(zip(files, names, strict=True))
    for file, name in named:
        if days[file.version.pk] != day:
            redate(name, days[file.version.pk])
    rows = [insertion([batch]), committed(names)]
    rows += recognition.kept(content, dict.fromkeys(days, batch.day) if findings else days)
    if not findings:
        rows.append(
            insertion(
                [
                    Shard(**file.columns(), file_name=name, batch=batch, day=days[file.version.pk])
                    for file, name in named
                ]
            )
        )
    if claim is not None:
        rows.append(claim.statement(batch))
    *_others, last = execute_together(rows)
    if claim is not None and not last:
        raise _StoredMeanwhile
    if findings:
        hold(batch, named, findings, min(held_since or today, today))
    return batch
