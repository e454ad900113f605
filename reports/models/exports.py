"""Exports: all that is published, written as files for other programs."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.jobs import Job, LeasedPart


class Export(Job):
    """Order to write what is published, and has changed, to an address."""

    PLANNING = _("choosing use cases")
    FINISHING = _("removing use cases that are gone")

    address = models.CharField(_("address"), max_length=500)
    written = models.PositiveIntegerField(_("files written"), default=0)
    unchanged = models.PositiveIntegerField(_("files unchanged"), default=0)
    removed = models.PositiveIntegerField(_("files removed"), default=0)

    class Meta:
        verbose_name = _("export")
        verbose_name_plural = _("exports")
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["address"], condition=models.Q(state__in=Job.UNFINISHED), name="export_one_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return self.address


class ExportPart(LeasedPart):
    """The results of a use case."""

    class Step(models.IntegerChoices):
        WRITE = 0, _("writing results")

    order = models.ForeignKey(Export, on_delete=models.CASCADE, related_name="parts")
    slug = models.SlugField(max_length=100)

    class Meta:
        verbose_name = _("part of an export")
        verbose_name_plural = _("parts of exports")
        ordering = ["order", "pk"]
        constraints = [models.UniqueConstraint(fields=["order", "slug"], name="export_part_once")]

    def __str__(self) -> str:
        return f"{self.order} {self.slug}"

    @property
    def job(self) -> Export:
        return self.order
