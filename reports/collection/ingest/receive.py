"""Ingestion of an upload, from the API, the web form or a command."""

import datetime
import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from reports.collection.ingest.collector import Collector
from reports.collection.ingest.content import content_of
from reports.collection.ingest.documents import Resolver, segments
from reports.collection.ingest.idempotency_keys import Claim, Key, batch_of, find_kept
from reports.collection.ingest.limits import LINES_BETWEEN_CHECKS, Effort, Lines
from reports.collection.ingest.problems import Refusal, Rejections, UploadRefused, nothing_left
from reports.collection.ingest.receipts import Receipt
from reports.collection.ingest.store import DuplicateUpload, store_batch
from reports.collection.ingest.transport import Upload, plain_chunks, texts
from reports.models import Batch, IdempotencyKey, UseCase
from reports.models.uploads import utc_today
from reports.storage import RETRY_SECONDS, StorageUnavailable, spool_folder


def ingest(
    upload: Upload,
    use_cases: QuerySet[UseCase],
    *,
    day: datetime.date | None = None,
    strict: bool = False,
    key: Key | None = None,
    simulated: bool = False,
) -> Receipt:
    """Check an upload while it streams and store what passes, in one transaction or not at all.

    Only segments of `use_cases` are known to the sender. The day is today unless given; reports for a day that is
    sealed already join the current one, or are refused if `strict`. Under a key that is kept nothing is stored again,
    nor are large uploads whose records are stored. Only `simulated` uploads know copies for simulated reports, and no
    others. Raises `UploadRefused`, and then nothing is left of the upload.
    """
    effort = Effort(upload.sender_left)
    use_cases = use_cases.filter(simulation_of__isnull=not simulated)
    today = utc_today()
    asked, day = day is not None, day or today
    if key is not None and (kept := find_kept(key.digest())):
        return _answer_again(upload, key, kept, day, effort)
    resolver = Resolver(use_cases, today, day)
    _check_day(day, today, resolver)
    rejections = Rejections(strict)
    keyed = None if key is None else key.content()
    with _spool_folder() as folder:
        collector = Collector(folder, rejections, effort)
        lines = Lines(rejections)
        chunks = _hashed(plain_chunks(upload, effort), keyed)
        found = effort.watch(texts(chunks, upload.format), LINES_BETWEEN_CHECKS)
        files = collector.collect(segments(found, resolver, rejections, lines))
        if not lines.filled:
            raise UploadRefused(Refusal.EMPTY, _("The upload is empty."))
        rejected = dict(rejections.counts)
        if not collector.accepted:
            raise nothing_left(rejections)
        content = content_of(files)
        claim = Claim(key.digest(), keyed.digest()) if key and keyed else None
        batch = Batch(accepted=collector.accepted, rejected=rejected)
        try:
            store_batch(files, day, batch, content, claim, no_other_day=strict and asked)
        except DuplicateUpload as duplicate:
            if duplicate.first is not None:
                return Receipt.of_duplicate(duplicate.first, day)
            return Receipt(None, duplicate.day, day, True, batch.accepted, rejected)
    several = len(batch.use_case_ids) > 1
    return Receipt(batch.pk, batch.day, day, False, batch.accepted, rejected, rejections.problems, several)


@contextmanager
def _spool_folder() -> Iterator[Path]:
    """Create a folder for an upload, which is refused if the storage does not answer, or a disk is full."""
    try:
        with spool_folder() as folder:
            yield folder
    except StorageUnavailable as error:
        raise UploadRefused(
            Refusal.STORAGE_UNAVAILABLE,
            _("Reports cannot be stored now: the storage does not answer, or it is full. Send them again later."),
            retry_after=RETRY_SECONDS,
        ) from error


def _answer_again(upload: Upload, key: Key, kept: IdempotencyKey, day: datetime.date, effort: Effort) -> Receipt:
    """Read to the end, and answer with the first batch: whatever has become of its day and its use cases since."""
    content = key.content()
    for chunk in plain_chunks(upload, effort):
        content.update(chunk)
    return Receipt.of_duplicate(batch_of(kept, content.digest()), day)


def _check_day(day: datetime.date, today: datetime.date, resolver: Resolver) -> None:
    if day > today:
        raise UploadRefused(Refusal.WRONG_DAY, _("The day is in the future. Days are counted in UTC."))
    if day < min((use_case.first_day_kept(today) for use_case in resolver.use_cases), default=day):
        raise UploadRefused(Refusal.WRONG_DAY, _("The day is too old: raw reports of it are no longer kept."))


def _hashed(chunks: Iterator[bytes], digest: hmac.HMAC | None) -> Iterator[bytes]:
    for chunk in chunks:
        if digest is not None:
            digest.update(chunk)
        yield chunk
