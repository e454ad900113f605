"""Imports: reports that lie as objects in a bucket or folder of others, each read once.

An object is known by a keyed digest of its address, size and tag: its name may hold hosts or times, and is here only
until it is read.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.jobs import Job, LeasedPart


class Import(Job):
    """Order to read what is new at an address."""

    PLANNING = _("looking for new objects")
    FINISHING = _("adding up")

    address = models.CharField(_("address"), max_length=500)
    # For which reports may come from there; every one if there is none. As those of a batch.
    use_case_ids = ArrayField(models.BigIntegerField(), verbose_name=_("use cases"), default=list, blank=True)
    # For reports in objects whose address names no day; the day of reading if this does not either.
    day = models.DateField(_("day of the reports"), null=True, blank=True)
    # The sum of its parts' outcomes, once these are done: `reports.bulk.Tally`.
    tally = models.JSONField(_("objects and records"), default=dict, blank=True)

    class Meta:
        verbose_name = _("import")
        verbose_name_plural = _("imports")
        ordering = ["-created_at"]
        # Two would read the same.
        constraints = [
            models.UniqueConstraint(
                fields=["address"], condition=models.Q(state__in=Job.UNFINISHED), name="import_one_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return self.address


class ImportPart(LeasedPart):
    """An object to be read; what tells which one is dropped when that is done."""

    class Step(models.IntegerChoices):
        READ = 0, _("reading objects")

    order = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="parts")
    name = models.TextField(_("name"), blank=True)
    size = models.PositiveBigIntegerField(_("bytes"))
    tag = models.CharField(_("tag"), max_length=200, blank=True)
    hmac = models.BinaryField(max_length=32)

    class Meta:
        verbose_name = _("part of an import")
        verbose_name_plural = _("parts of imports")
        ordering = ["order", "pk"]
        constraints = [models.UniqueConstraint(fields=["order", "hmac"], name="import_part_once")]

    def __str__(self) -> str:
        return f"{self.order} {self.pk}"

    @property
    def job(self) -> Import:
        return self.order


class ReadObject(models.Model):
    """Keyed digest of an object that was read, or refused: kept for ever, for it may lie there as long."""

    hmac = models.BinaryField(max_length=32, primary_key=True)

    def __str__(self) -> str:
        return bytes(self.hmac).hex()
