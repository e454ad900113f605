"""Records of single devices, which wait for their day to be sealed.

They are rows for some minutes. Nothing in a row tells which others came in the same document, not even the two records
of one report: keys are random, and a day is the finest time. Then they are mixed, into portions, and so are the keys of
documents, into blocks.
"""

import uuid
from typing import Any

from django.db import models
from django.db.models import Exists, Q
from django.utils.translation import gettext_lazy as _

from reports.models.uploads import utc_today
from reports.models.versions import Version


class DeviceRecord(models.Model):
    """Record of a stream, as shards hold it, from its arrival until it is mixed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Without a constraint, which would lock the version's row for every record; versions with records are not deleted.
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, related_name="device_records", db_constraint=False, db_index=False
    )
    locale = models.CharField(max_length=20)
    stream = models.CharField(max_length=20)
    # Day of arrival. Records that wait longer, because too few others came, are counted on the day on which they are
    # sealed.
    day = models.DateField()
    record = models.BinaryField()

    def __str__(self) -> str:
        return str(self.id)


class MixedRecords(models.Model):
    """Sorted records of a stream that came on a day, from when they are mixed until they are sealed or dropped.

    Those of a day and locale are written anew with all that comes until they are many. Then they are a portion, which
    stays as it is.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, related_name="mixed_records", db_constraint=False, db_index=False
    )
    locale = models.CharField(max_length=20)
    stream = models.CharField(max_length=20)
    day = models.DateField()
    size = models.PositiveBigIntegerField()
    records = models.BinaryField()
    # The key of the portion that it belongs to, if it is one yet.
    portion = models.UUIDField(null=True)

    class Meta:
        indexes = [models.Index(fields=["version", "day", "locale"], name="mixed_records_of_day")]

    def __str__(self) -> str:
        return str(self.id)


class DeviceKey(models.Model):
    """Keyed digest of a document's Idempotency-Key, from the document's arrival until it is mixed.

    As long as it is kept, here or among `MixedKeys`, the document is not added again.
    """

    key_hmac = models.BinaryField(max_length=32, primary_key=True)
    day = models.DateField(default=utc_today)

    def __str__(self) -> str:
        return str(self.day)


class MixedKeys(models.Model):
    """Block of sorted digests of keys of a day: the first eight bytes of each.

    Another document of a day with ten million has the same eight bytes with a chance of one in 10¹². New ones join
    those that are not settled, which are written anew with them; when these are many, they join the settled ones.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    day = models.DateField()
    settled = models.BooleanField()
    first = models.BinaryField(max_length=8)
    digests = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["day", "settled", "first"], name="mixed_keys_once")]

    def __str__(self) -> str:
        return str(self.day)


def has_waiting(**version: Any) -> Q:
    """Tell, in a query, whether records of devices wait."""
    return Exists(DeviceRecord.objects.filter(**version)) | Exists(MixedRecords.objects.filter(**version))


class DroppedReports(models.Model):
    """Device reports dropped on a day because too few came in a week to hide among."""

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="dropped_reports")
    locale = models.CharField(max_length=20)
    day = models.DateField()
    reports = models.PositiveBigIntegerField()

    class Meta:
        verbose_name = _("dropped reports")
        verbose_name_plural = _("dropped reports")
        ordering = ["-day", "version", "locale"]
        constraints = [models.UniqueConstraint(fields=["version", "locale", "day"], name="dropped_reports_once_a_day")]

    def __str__(self) -> str:
        return f"{self.version} {self.locale} {self.day}"
