"""Runs of the aggregator and their parts."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.dictionaries import DictionaryRevision
from reports.models.uploads import Shard
from reports.models.use_cases import Version


class Run(models.Model):
    """One aggregation of a version over a window of sealed days. Pins its shards and its dictionary revision."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        FAILED = "failed", _("failed")

    UNFINISHED = (State.WAITING, State.RUNNING)

    id = models.UUIDField(_("identifier"), primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(Version, verbose_name=_("version"), on_delete=models.CASCADE, related_name="runs")
    revision = models.ForeignKey(
        DictionaryRevision, verbose_name=_("dictionary revision"), on_delete=models.PROTECT, related_name="runs"
    )
    first_day = models.DateField(_("first day"))
    last_day = models.DateField(_("last day"))
    shards = models.ManyToManyField(Shard, verbose_name=_("shards"), related_name="runs", blank=True)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.WAITING)
    failure = models.TextField(_("reason of failure"), blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("requested by"),
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    planned_at = models.DateTimeField(_("planned"), null=True, blank=True, help_text=_("Its days are sealed."))
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return _("%(version)s, %(first)s to %(last)s") % {
            "version": self.version,
            "first": self.first_day,
            "last": self.last_day,
        }


class Part(models.Model):
    """A range of hash rows of some of a run's shards: the unit of parallel work.

    The shards are those at positions start_shard to stop_shard, in the order of their identifiers.

    Whoever holds the lease works on it; an expired lease may be taken over by anybody. The result, a file of integers,
    is stored once, whoever delivers it first.
    """

    run = models.ForeignKey(Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="parts")
    start_row = models.PositiveIntegerField(_("first row"))
    stop_row = models.PositiveIntegerField(_("end row"))
    start_shard = models.PositiveIntegerField(_("first shard"), default=0)
    stop_shard = models.PositiveIntegerField(_("end shard"))
    lease_expires_at = models.DateTimeField(_("lease expires"), null=True, blank=True)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    file_name = models.CharField(_("result file"), max_length=200, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        verbose_name = _("part")
        verbose_name_plural = _("parts")
        ordering = ["run", "start_shard", "start_row"]
        constraints = [models.UniqueConstraint(fields=["run", "start_shard", "start_row"], name="part_once")]

    def __str__(self) -> str:
        return f"{self.run}: {self.start_row}–{self.stop_row}"
