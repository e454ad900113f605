"""Quarantine: shards of suspicious batches, apart from all others, and the findings about them."""

import datetime
import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.record_files import RecordFileRow
from reports.models.uploads import Batch, utc_today
from reports.models.use_cases import WAITING_DAYS
from reports.models.versions import Version


class QuarantinedShard(RecordFileRow):
    """Shard of a suspicious batch, in a table of its own, which nothing that seals, counts or shows reads.

    A person releases the batch, and it becomes a shard like any other, or withdraws the batch, and it is deleted.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="quarantined_shards")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="quarantined_shards")
    # The first day of waiting. The batch's day may be long past: that is what the reports are about.
    held_since = models.DateField(default=utc_today)

    class Meta:
        verbose_name = _("quarantined shard")
        verbose_name_plural = _("quarantined shards")
        ordering = ["version", "locale", "stream"]

    def __str__(self) -> str:
        return f"{self.version} {self.locale} {self.stream}"

    @staticmethod
    def undecided(today: datetime.date) -> models.Q:
        """Filter for shards that waited too long: they can no longer be released, and are deleted."""
        return models.Q(held_since__lte=today - datetime.timedelta(days=WAITING_DAYS))


class Finding(models.Model):
    """Suspicion about a batch: a test that honest reports fail with a stated, small probability."""

    # Random: numbers in sequence would tell in which order the batches came.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="findings")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="+")
    locale = models.CharField(max_length=20)
    stream = models.CharField(max_length=20)
    test = models.CharField(max_length=40)
    # The chance that honest reports look like this, for all tests of the batch together; at most.
    p_value = models.FloatField()
    # Facts seen and expected, as numbers by name; the words are made from them.
    facts = models.JSONField(default=dict)

    class Meta:
        verbose_name = _("finding")
        verbose_name_plural = _("findings")
        ordering = ["version", "locale", "stream", "test"]

    def __str__(self) -> str:
        return f"{self.test} {self.version} {self.locale}"
