"""Recognition of uploads that are sent again, for as long as their raw reports are kept.

Keyed with the installation's secret; with a day and a version, and never with a batch. No number is in sequence, which
would tell the order of arrival, and when a day is sealed the rows are written anew in the order of their digests.
"""

import uuid

from django.db import models

from reports.models.versions import Version


class UploadDigest(models.Model):
    """Keyed digest of all records that a large upload has for a version, in their order.

    One that two batches had, of which one waited in quarantine, has a row for each, so that forgetting one leaves the
    other known. So it is with fingerprints.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    hmac = models.BinaryField(max_length=32, db_index=True)
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="upload_digests", db_index=False)
    # The day that the reports count on.
    day = models.DateField()

    class Meta:
        indexes = [models.Index(fields=["version", "day"], name="upload_digest_day")]

    def __str__(self) -> str:
        return f"{self.version} {self.day}"


class RecordFingerprint(models.Model):
    """Keyed fingerprint of one record, drawn from a large upload of long records."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    hmac = models.BinaryField(max_length=8)
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="record_fingerprints", db_index=False)
    day = models.DateField()

    class Meta:
        indexes = [
            models.Index(fields=["version", "day"], name="record_fingerprint_day"),
            models.Index(fields=["version", "hmac"], name="record_fingerprint_known"),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.day}"
