"""Runs of the aggregator and their parts."""

import datetime
import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from reports.models import failures
from reports.models.dictionaries import DictionaryRevision
from reports.models.shards import Sealing, Shard
from reports.models.versions import Version


class Run(models.Model):
    """One aggregation of a version over a window of sealed days. Pins its shards and its dictionary revision.

    A run of a version that finds its elements itself has no revision.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        FAILED = "failed", _("failed")

    UNFINISHED = (State.WAITING, State.RUNNING)

    id = models.UUIDField(_("identifier"), primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(Version, verbose_name=_("version"), on_delete=models.CASCADE, related_name="runs")
    revision = models.ForeignKey(
        DictionaryRevision,
        verbose_name=_("dictionary revision"),
        on_delete=models.PROTECT,
        related_name="runs",
        null=True,
        blank=True,
    )
    first_day = models.DateField(_("first day"))
    last_day = models.DateField(_("last day"))
    shards = models.ManyToManyField(Shard, verbose_name=_("shards"), related_name="runs", blank=True)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.WAITING)
    # Or of waiting, of a run that is not finished.
    failure = models.TextField(_("reason of failure"), blank=True)
    # Errors in planning and publishing that do not pass by themselves; those of parts are counted there.
    errors = models.PositiveIntegerField(_("errors"), default=0)
    # The first of the errors in a row that pass by themselves, as when the storage does not answer.
    failing_since = models.DateTimeField(_("failing since"), null=True, blank=True)
    # Of an unfinished run, when it is tried again; of a failed one, when another is ordered by itself.
    not_before = models.DateTimeField(_("not before"), null=True, blank=True)
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
        indexes = [
            models.Index(fields=["version", "-created_at"], name="run_newest"),
            models.Index(fields=["-created_at"], name="run_by_time"),
            # Few at any time: pages and the sweep ask for them every few seconds.
            models.Index(
                fields=["created_at"], condition=models.Q(state__in=["waiting", "running"]), name="run_unfinished"
            ),
        ]

    def __str__(self) -> str:
        return _("%(version)s, %(first)s to %(last)s") % {
            "version": self.version,
            "first": self.first_day,
            "last": self.last_day,
        }

    @property
    def failure_in_words(self) -> str:
        """The reason of failure, in the language of now."""
        return failures.in_words(self.failure)

    @property
    def waits_until(self) -> datetime.datetime | None:
        """When an unfinished run that waits for what it needs is tried again."""
        waits = self.state in self.UNFINISHED and self.not_before is not None and self.not_before > timezone.now()
        return self.not_before if waits else None


class Part(models.Model):
    """The unit of parallel work of a run.

    A dictionary is counted in one step: each part is a range of hash rows of some of the run's shards, those at
    positions start_shard to stop_shard in the order of their identifiers. Words are found in three: a part sketches the
    shards of a locale and sealing; or reads fragments of a locale out of a range of rows; or joins the words of a
    locale. Parts of a step wait for all of those before.

    Whoever holds the lease works on it; an expired lease may be taken over by anybody. The result, a file of integers,
    is stored once, whoever delivers it first. Of the attempts, which are leases, those that ended because the storage
    or the database was away do not count; those that are no errors either were lost with their worker.
    """

    class Step(models.IntegerChoices):
        READ_OUT = 0, _("reading out")
        SKETCH = 1, _("sketching days")
        FRAGMENTS = 2, _("reading fragments")
        WORDS = 3, _("joining words")

    run = models.ForeignKey(Run, verbose_name=_("run"), on_delete=models.CASCADE, related_name="parts")
    step = models.PositiveSmallIntegerField(_("step"), choices=Step.choices, default=Step.READ_OUT)
    locale = models.CharField(_("locale"), max_length=20, blank=True, default="")
    sealing = models.ForeignKey(
        Sealing, verbose_name=_("sealing"), on_delete=models.CASCADE, related_name="+", null=True, blank=True
    )
    start_row = models.PositiveIntegerField(_("first row"), default=0)
    stop_row = models.PositiveIntegerField(_("end row"), default=0)
    start_shard = models.PositiveIntegerField(_("first shard"), default=0)
    stop_shard = models.PositiveIntegerField(_("end shard"), default=0)
    lease_expires_at = models.DateTimeField(_("lease expires"), null=True, blank=True)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    errors = models.PositiveIntegerField(_("errors"), default=0)
    file_name = models.CharField(_("result file"), max_length=200, blank=True)
    # What is said of a result beside its integers, such as how strict a cut was.
    facts = models.JSONField(_("facts"), default=dict, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        verbose_name = _("part")
        verbose_name_plural = _("parts")
        ordering = ["run", "step", "locale", "start_shard", "start_row"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "step", "locale", "start_shard", "start_row"],
                condition=models.Q(sealing=None),
                name="part_once",
            ),
            models.UniqueConstraint(
                fields=["run", "locale", "sealing"],
                condition=models.Q(sealing__isnull=False),
                name="part_once_for_a_sealing",
            ),
        ]

    def __str__(self) -> str:
        rows = f"{self.get_step_display()} {self.locale} {self.start_row}–{self.stop_row}"
        return _("%(name)s: %(value)s") % {"name": self.run, "value": rows}


class WorkerHeartbeat(models.Model):
    """The newest heartbeat of any worker: a single row, written over at each of their tasks."""

    seen_at = models.DateTimeField(_("last sign of life"))

    def __str__(self) -> str:
        return str(self.seen_at)
