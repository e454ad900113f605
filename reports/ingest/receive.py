"""One code path for every upload, whether it comes from the API, the web form or a command."""

import datetime
import hashlib
import hmac
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from reports.ingest.collector import Collector
from reports.ingest.documents import Resolver, segments
from reports.ingest.keys import Claim, Key, batch_of, find_kept
from reports.ingest.problems import Problem, Refusal, Rejections, UploadRefused, nothing_left
from reports.ingest.store import DuplicateUpload, find_duplicate, store_batch
from reports.ingest.transport import Upload, plain_chunks, texts
from reports.models import Batch, IdempotencyKey, UseCase
from reports.models.uploads import utc_today
from reports.storage import RETRY_SECONDS, StorageUnavailable, spool_folder

# Two honest devices may send equal small documents, and both count. Equal large uploads are one that was sent twice.
DEDUPLICATED_RECORDS = 1000


@dataclass(frozen=True)
class Receipt:
    """What became of an upload that was not refused."""

    batch: uuid.UUID
    # The day on which it counts; in quarantine the one on which it would.
    day: datetime.date
    duplicate: bool
    accepted: int
    rejected: dict[str, int]
    problems: list[Problem] = field(default_factory=list)


def ingest(
    upload: Upload,
    use_cases: QuerySet[UseCase],
    *,
    day: datetime.date | None = None,
    strict: bool = False,
    key: Key | None = None,
) -> Receipt:
    """Check an upload while it streams and store what passes, in one transaction or not at all.

    Only segments of `use_cases` are known to the sender. The day is today unless given; reports for a day that is
    sealed already join the current one. Under a key that is kept nothing is stored again. Raises `UploadRefused`, and
    then nothing is left of the upload.
    """
    if key is not None and (kept := find_kept(key.digest())):
        return _answer_again(upload, key, kept)
    today = utc_today()
    day = day or today
    _check_day(day, today, use_cases)
    rejections = Rejections(strict)
    content = hmac.new(_content_key(day), digestmod=hashlib.sha256)
    keyed = None if key is None else key.content()
    with spool_folder() as folder:
        collector = Collector(folder, rejections)
        documents = _nonempty(texts(_hashed(plain_chunks(upload), content, keyed), upload.format))
        shards = collector.collect(segments(documents, Resolver(use_cases, today, day), rejections))
        rejected = dict(rejections.counts)
        if not collector.accepted:
            raise nothing_left(rejections)
        large = collector.accepted + sum(rejected.values()) >= DEDUPLICATED_RECORDS
        fingerprint = content.digest() if large else None
        claim = Claim(key.digest(), keyed.digest()) if key and keyed else None
        while True:
            if first := _find_first(fingerprint, claim):
                return _receipt_of(first)
            try:
                batch = store_batch(shards, day, collector.accepted, rejected, fingerprint, claim)
            except StorageUnavailable as error:
                raise _storage_unavailable() from error
            except DuplicateUpload:  # somebody was faster, and is found now, unless that batch is withdrawn already
                continue
            return Receipt(batch.pk, batch.day, False, batch.accepted, rejected, rejections.problems)


def _storage_unavailable() -> UploadRefused:
    return UploadRefused(
        Refusal.STORAGE_UNAVAILABLE,
        _("Reports cannot be stored now, because the storage does not answer. Send them again later."),
        retry_after=RETRY_SECONDS,
    )


def _answer_again(upload: Upload, key: Key, kept: IdempotencyKey) -> Receipt:
    """Read to the end, and answer with the first batch: whatever has become of its day and its use cases since."""
    content = key.content()
    for chunk in plain_chunks(upload):
        content.update(chunk)
    return _receipt_of(batch_of(kept, content.digest()))


def _find_first(fingerprint: bytes | None, claim: Claim | None) -> Batch | None:
    """The batch that this upload repeats. Its key is kept then, for the content is forgotten with the open day."""
    if claim is not None and (batch := claim.first()):
        return batch
    first = find_duplicate(fingerprint)
    if first is None or claim is None or claim.keep_for_duplicate(first):
        return first
    return _find_first(fingerprint, claim)  # the first is withdrawn by now, or the key another's


def _receipt_of(batch: Batch) -> Receipt:
    return Receipt(batch.pk, batch.day, True, batch.accepted, batch.rejected)


def _check_day(day: datetime.date, today: datetime.date, use_cases: QuerySet[UseCase]) -> None:
    if day > today:
        raise UploadRefused(Refusal.WRONG_DAY, _("The day lies in the future. Days are counted in UTC."))
    first_kept = min((use_case.first_day_kept(today) for use_case in use_cases), default=day)
    if day < first_kept:
        raise UploadRefused(
            Refusal.WRONG_DAY, _("The day has expired: raw reports are no longer kept for so long a time.")
        )


def _content_key(day: datetime.date) -> bytes:
    secret = hashlib.sha256(b"ldpsite upload content\0" + settings.SECRET_KEY.encode()).digest()
    return secret + day.isoformat().encode()


def _hashed(chunks: Iterator[bytes], *digests: hmac.HMAC | None) -> Iterator[bytes]:
    wanted = [digest for digest in digests if digest is not None]
    for chunk in chunks:
        for digest in wanted:
            digest.update(chunk)
        yield chunk


def _nonempty(documents: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    first = next(documents, None)
    if first is None:
        raise UploadRefused(Refusal.EMPTY, _("The upload is empty."))
    yield first
    yield from documents
