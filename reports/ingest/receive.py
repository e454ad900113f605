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
from reports.ingest.problems import Problem, Refusal, Rejections, UploadRefused
from reports.ingest.store import DuplicateUpload, find_duplicate, store_batch
from reports.ingest.transport import Upload, plain_chunks, texts
from reports.models import Batch, UseCase
from reports.models.uploads import utc_today
from reports.storage import spool_folder

# Two honest devices may send equal small documents, and both count. Equal large uploads are one that was sent twice.
DEDUPLICATED_RECORDS = 1000


@dataclass(frozen=True)
class Receipt:
    """What became of an upload that was not refused."""

    batch: uuid.UUID
    duplicate: bool
    accepted: int
    rejected: dict[str, int]
    problems: list[Problem] = field(default_factory=list)


def ingest(
    upload: Upload, use_cases: QuerySet[UseCase], *, day: datetime.date | None = None, strict: bool = False
) -> Receipt:
    """Check an upload while it streams and store what passes, in one transaction or not at all.

    Only segments of `use_cases` are known to the sender. The day is today unless given; reports for a day that is
    sealed already join the current one. Raises `UploadRefused`, and then nothing is left of the upload.
    """
    today = utc_today()
    day = day or today
    _check_day(day, today, use_cases)
    rejections = Rejections(strict)
    content = hmac.new(_content_key(day), digestmod=hashlib.sha256)
    with spool_folder() as folder:
        collector = Collector(folder, rejections)
        documents = _nonempty(texts(_hashed(plain_chunks(upload), content), upload.format))
        shards = collector.collect(segments(documents, Resolver(use_cases, today), rejections))
        rejected = dict(rejections.counts)
        if not collector.accepted:
            raise _nothing_left(rejections)
        large = collector.accepted + sum(rejected.values()) >= DEDUPLICATED_RECORDS
        fingerprint = content.digest() if large else None
        first = find_duplicate(fingerprint)
        if first is None:
            try:
                batch = store_batch(shards, day, collector.accepted, rejected, fingerprint)
            except DuplicateUpload as error:
                first = error.first
            else:
                return Receipt(batch.pk, False, batch.accepted, rejected, rejections.problems)
    return _receipt_of(first)


def _receipt_of(batch: Batch) -> Receipt:
    return Receipt(batch.pk, True, batch.accepted, batch.rejected)


def _check_day(day: datetime.date, today: datetime.date, use_cases: QuerySet[UseCase]) -> None:
    if day > today:
        raise UploadRefused(Refusal.WRONG_DAY, _("The day lies in the future. Days are counted in UTC."))
    longest = max(use_cases.values_list("retention_days", flat=True), default=None)
    if longest is not None and day <= today - datetime.timedelta(days=longest):
        raise UploadRefused(
            Refusal.WRONG_DAY, _("The day has expired: raw reports are no longer kept for so long a time.")
        )


def _content_key(day: datetime.date) -> bytes:
    secret = hashlib.sha256(b"ldpsite upload content\0" + settings.SECRET_KEY.encode()).digest()
    return secret + day.isoformat().encode()


def _hashed(chunks: Iterator[bytes], content: hmac.HMAC) -> Iterator[bytes]:
    for chunk in chunks:
        content.update(chunk)
        yield chunk


def _nonempty(documents: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    first = next(documents, None)
    if first is None:
        raise UploadRefused(Refusal.EMPTY, _("The upload is empty."))
    yield first
    yield from documents


def _nothing_left(rejections: Rejections) -> UploadRefused:
    if not rejections.counts:
        return UploadRefused(Refusal.EMPTY, _("The upload holds no records."))
    return UploadRefused(
        Refusal.NOTHING_USABLE,
        _("Nothing in the upload could be used."),
        rejections.problems,
        dict(rejections.counts),
    )
