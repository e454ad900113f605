"""Raw reports in files: shards of batches, the closing of days, and deletions.

As for batches, no column is finer than a day.
"""

import datetime
import uuid
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from reports.models.fields import person_who
from reports.models.record_files import RecordFileQuerySet, RecordFileRow
from reports.models.uploads import Batch, utc_today
from reports.models.versions import Version

if TYPE_CHECKING:
    from reports.models.histograms import ReadOut


def in_window(first: datetime.date | None, last: datetime.date | None) -> Q:
    """Condition on rows whose `day` lies in the window; an end that is not given is open."""
    return Q(day__range=(first or datetime.date.min, last or datetime.date.max))


class Sealing(models.Model):
    """Closing of a day: what had arrived for this version and day can no longer be withdrawn.

    A day has one, made when it is over. If a day is aggregated before it is over, what arrives afterwards is sealed by
    another: what was sealed once never changes.
    """

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="sealings")
    day = models.DateField()
    # Not while many uploads are being put into it, in parts; the day is closed for others by then.
    is_complete = models.BooleanField(default=True, db_default=True, editable=False)

    class Meta:
        verbose_name = _("sealing")
        verbose_name_plural = _("sealings")
        ordering = ["version", "day", "pk"]

    def __str__(self) -> str:
        return f"{self.version} {self.day}"


class ShardQuerySet(RecordFileQuerySet["Shard"]):
    def closed(self) -> Self:
        """Filter for what runs read: the one file that a sealing has of a locale and stream."""
        return self.filter(batch=None).whole()

    def unclosed(self) -> Self:
        """Filter for shards of open days, or of a sealing that is under way or was interrupted."""
        return self.filter(Q(batch__isnull=False) | Q(index__isnull=False))

    def unread(self, read_outs: "models.QuerySet[ReadOut]") -> Self:
        """Filter for shards that none of these read-outs counts."""
        return self.exclude(Shard.counted_by(read_outs))


class Shard(RecordFileRow):
    """File of sorted records of one version and day.

    Its bytes are a function of the multiset of records in it alone. While the day is open there is one per batch, with
    all locales and streams that this has of the version. Sealing makes one for each locale and stream of them, which
    have no batch.
    """

    # Random, like a batch's: numbers in sequence would tell in which order the batches came.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="shards")
    day = models.DateField()
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="shards", null=True, blank=True)
    sealing = models.ForeignKey(Sealing, on_delete=models.PROTECT, related_name="shards", null=True, blank=True)

    objects = ShardQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        verbose_name = _("shard")
        verbose_name_plural = _("shards")
        ordering = ["version", "day", "locale", "stream"]
        constraints = [
            models.UniqueConstraint(
                fields=["sealing", "locale", "stream"],
                condition=models.Q(batch=None, index__isnull=True),
                name="shard_one_when_sealed",
            ),
            models.CheckConstraint(
                condition=models.Q(batch__isnull=False) | models.Q(sealing__isnull=False),
                name="shard_has_batch_or_is_sealed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} {self.locale} {self.day} {self.stream}"

    @staticmethod
    def counted_by(read_outs: "models.QuerySet[ReadOut]") -> Exists:
        """Tell, in a query, whether one of these read-outs counts the shard."""
        return Exists(read_outs.filter(sealing=OuterRef("sealing"), locale=OuterRef("locale")))


class Deletion(models.Model):
    """Deletion of raw reports of a day: by retention, on demand, or undecided in quarantine."""

    class Reason(models.TextChoices):
        EXPIRED = "expired", _("retention is over")
        DEMANDED = "demanded", _("deleted on demand")
        UNDECIDED = "undecided", _("suspicious, and not released in time")

    version = models.ForeignKey(Version, verbose_name=_("version"), on_delete=models.CASCADE, related_name="deletions")
    day = models.DateField(_("day of the reports"))
    reports = models.PositiveBigIntegerField(_("reports"))
    never_counted = models.PositiveBigIntegerField(_("of them never counted"), default=0)
    # The smallest of the parts that are published by themselves, and the smallest that was never counted: from a sum
    # the others could be subtracted. None where that is not known, so that no number may be told.
    fewest = models.PositiveBigIntegerField(_("smallest part"), null=True, editable=False)
    fewest_uncounted = models.PositiveBigIntegerField(_("smallest part never counted"), null=True, editable=False)
    reason = models.CharField(_("reason"), max_length=10, choices=Reason.choices)
    deleted_on = models.DateField(_("deleted"), default=utc_today)
    deleted_by = person_who(_("deleted by"), blank=True)

    class Meta:
        verbose_name = _("deletion of raw reports")
        verbose_name_plural = _("deletions of raw reports")
        ordering = ["-deleted_on", "version", "-day"]

    def __str__(self) -> str:
        return f"{self.version} {self.day}"


class PendingFile(models.Model):
    """File that is being written and that no committed row owns yet: what a crash leaves can be found and removed."""

    file_name = models.CharField(max_length=200, unique=True)
    created_on = models.DateField(default=utc_today)

    def __str__(self) -> str:
        return self.file_name
