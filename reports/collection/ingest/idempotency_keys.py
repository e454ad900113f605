"""Idempotency keys: an upload that is sent again under its key is answered with the batch it made the first time.

Kept are keyed digests alone, with a date. A key is its sender's own: equal keys of two senders have nothing in common.
"""

import datetime
import hashlib
import hmac
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from reports.collection.ingest.problems import Refusal, UploadRefused
from reports.models import Batch, IdempotencyKey
from reports.models.uploads import utc_today
from reports.statements import Statement

# A date is all that is known of a key's age, so that it lives for 48 hours and at most a day more.
KEPT_DAYS = 2
MAX_CHARACTERS = 255


@dataclass(frozen=True)
class Key:
    """A key as it was sent. `context` is what counts as content beside the bytes of the body."""

    sender: str
    text: str
    context: tuple[str, ...] = ()

    @property
    def well_formed(self) -> bool:
        return 1 <= len(self.text) <= MAX_CHARACTERS and all("!" <= character <= "~" for character in self.text)

    def digest(self) -> bytes:
        return _digest(b"key", self.sender, self.text).digest()

    def content(self) -> hmac.HMAC:
        """Start the digest of the decompressed bytes. It depends on the key, so that equal uploads cannot be linked."""
        return _digest(b"content", self.sender, self.text, *self.context)


def _digest(purpose: bytes, *texts: str) -> hmac.HMAC:
    secret = hashlib.sha256(b"ldpsite idempotency " + purpose + b"\0" + settings.SECRET_KEY.encode()).digest()
    digest = hmac.new(secret, digestmod=hashlib.sha256)
    for text in texts:
        encoded = text.encode()
        digest.update(len(encoded).to_bytes(8, "big") + encoded)  # so that no two lists of texts are the same bytes
    return digest


@dataclass(frozen=True)
class Claim:
    """Digests stored for an idempotency key and for the upload that came with it."""

    key_hmac: bytes
    content_hmac: bytes

    def first(self) -> Batch | None:
        """Return the batch that was stored under the key. Raises `UploadRefused` if that was another upload."""
        kept = find_kept(self.key_hmac)
        return None if kept is None else batch_of(kept, self.content_hmac)

    def statement(self, batch: Batch) -> Statement:
        """Return the statement that claims the key for the batch.

        It writes no row if another batch has the key, after waiting for that batch's commit: the server's log would
        keep an error, with its time.
        """
        return Statement(
            "INSERT INTO reports_idempotencykey (key_hmac, content_hmac, batch_id, created_on) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING",
            [self.key_hmac, self.content_hmac, batch.pk, utc_today()],
        )


def find_kept(key_hmac: bytes) -> IdempotencyKey | None:
    return IdempotencyKey.objects.select_related("batch").filter(key_hmac=key_hmac).first()


def batch_of(kept: IdempotencyKey, content_hmac: bytes) -> Batch:
    """Return the key's batch, if it came of the same content. Raises `UploadRefused` otherwise."""
    if not hmac.compare_digest(bytes(kept.content_hmac), content_hmac):
        raise UploadRefused(
            Refusal.KEY_REUSED,
            _("This Idempotency-Key was used for another upload. Use a new key for each upload."),
        )
    return kept.batch


def forget_old_keys() -> None:
    IdempotencyKey.objects.filter(created_on__lt=utc_today() - datetime.timedelta(days=KEPT_DAYS)).delete()
