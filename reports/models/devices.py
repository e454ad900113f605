"""Records of single devices, which wait for their day to be sealed.

They are the only reports that are rows. Nothing in a row tells which others came in the same document, not even the two
records of one report: keys are random, and a day is the finest time.
"""

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.uploads import utc_today
from reports.models.versions import Version


class DeviceRecord(models.Model):
    """Record of a stream, as shards hold it, from its arrival until it is sealed or dropped."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Without a constraint, which would lock the version's row for every record; versions with records are not deleted.
    version = models.ForeignKey(
        Version, on_delete=models.DO_NOTHING, related_name="device_records", db_constraint=False, db_index=False
    )
    locale = models.CharField(max_length=20)
    stream = models.CharField(max_length=20)
    # Of arrival. What waits longer, because too few others came, is counted on the day on which it is sealed.
    day = models.DateField()
    record = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["version", "day", "locale", "stream"], name="device_record_of_day")]

    def __str__(self) -> str:
        return str(self.id)


class DeviceKey(models.Model):
    """Keyed digest of a document's Idempotency-Key: as long as it is kept, the document is not added again."""

    key_hmac = models.BinaryField(max_length=32, primary_key=True)
    day = models.DateField(default=utc_today)

    def __str__(self) -> str:
        return str(self.day)


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
