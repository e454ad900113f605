"""Committing a batch: files first, then all rows in one transaction."""

import datetime
from collections.abc import Collection, Sequence

from django.db import transaction

from reports.collection.ingest import recognition
from reports.collection.ingest.content import Content
from reports.collection.ingest.idempotency_keys import Claim
from reports.collection.ingest.problems import Refusal, UploadRefused
from reports.collection.ingest.receipts import refused_as_closed
from reports.collection.ingest.screening import hold, screened, suspicions
from reports.locks import Lock, Wanted, lock_all_until_commit
from reports.models import Batch, Sealing, Shard
from reports.models.uploads import utc_today
from reports.pending_files import committed, delete_uncommitted, reserve
from reports.record_files import RecordFile
from reports.statements import execute_together, insertion
from reports.storage import new_name, store


class DuplicateUpload(Exception):
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
    names = [new_name("shards") for _ in files]
    reserve(names)
    try:
        return commit_batch(files, names, day, batch, content, claim, no_other_day=no_other_day)
    except BaseException:
        delete_uncommitted(names)
        raise


def collection_days(ids: Collection[int], day: datetime.date, today: datetime.date) -> dict[int, datetime.date]:
    """Return the day that reports for `day` are counted on, by version: today, if it is past and sealed, else itself.

    Call with the days of the versions locked, and with the today of that moment: an upload may take until after
    midnight.
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
    claim: Claim | None = None,
    held_since: datetime.date | None = None,
    *,
    no_other_day: bool = False,
) -> Batch:
    """Move files, one of each version, into the storage, under the reserved names, and write all rows.

    A suspicious batch goes into quarantine, whichever door it came through. Its days there begin today, unless they
    should have begun before. With `no_other_day` a closed day is refused, by `UploadRefused`.
    """
    # Work for the processor comes before all locks.
    own = screened(files, content)
    ids = {file.version.pk for file in files}
    # Until the commit no day of these versions can be sealed; other uploads go on.
    lock_all_until_commit(recognition.locks(content), Wanted(Lock.DAYS, ids, shared=True))
    known = recognition.look_up(content)
    if known.stored_on:
        raise DuplicateUpload
    findings = suspicions(own, recognition.stored_before(content, known))
    if findings:
        batch.state = Batch.State.QUARANTINED
    today = utc_today()
    days = collection_days(ids, day, today)
    batch.day = max(days.values())  # the latest, should the versions differ
    if no_other_day and batch.day != day:
        raise UploadRefused(Refusal.WRONG_DAY, refused_as_closed(day, batch.day, several=len(days) > 1))
    batch.use_case_ids = sorted({file.version.use_case_id for file in files})
    stored = list(zip(files, names, strict=True))
    for file, name in stored:
        store(file.path, name, days[file.version.pk])
    rows = [insertion([batch]), committed(names)]
    rows += recognition.kept(content, dict.fromkeys(days, batch.day) if findings else days)
    if not findings:
        rows.append(
            insertion(
                [
                    Shard(**file.columns(), file_name=name, batch=batch, day=days[file.version.pk])
                    for file, name in stored
                ]
            )
        )
    if claim is not None:
        rows.append(claim.statement(batch))
    *_others, last = execute_together(rows)
    if claim is not None and not last:
        raise DuplicateUpload
    if findings:
        hold(batch, stored, findings, min(held_since or today, today))
    return batch
