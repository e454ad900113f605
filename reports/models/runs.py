"""Runs of the aggregator and their parts."""

from collections.abc import Sequence

from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.kinds import kind_of
from reports.models.dictionaries import DictionaryRevision
from reports.models.fields import person_who
from reports.models.jobs import Job, LeasedPart, unfinished_index
from reports.models.shards import Sealing, Shard
from reports.models.versions import Version


class Run(Job):
    """One aggregation of a version over a window of sealed days. Pins its shards and its dictionary revision.

    A run of a version that finds its elements itself has no revision.
    """

    PLANNING = _("sealing days")
    FINISHING = _("publishing")

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
    requested_by = person_who(_("requested by"), blank=True)
    planned_at = models.DateTimeField(_("planned"), null=True, blank=True, help_text=_("Its days are sealed."))

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["version", "-created_at"], name="run_newest"),
            models.Index(fields=["-created_at"], name="run_by_time"),
            unfinished_index("run_unfinished"),
        ]

    def __str__(self) -> str:
        return _("%(version)s, %(first)s to %(last)s") % {
            "version": self.version,
            "first": self.first_day,
            "last": self.last_day,
        }

    @property
    def steps(self) -> "Sequence[Part.Step]":
        return (Part.Step.READ_OUT,) if kind_of(self.version).has_dictionary else Part.DISCOVERY


class Part(LeasedPart):
    """The unit of parallel work of a run.

    A dictionary is counted in one step: each part is a range of hash rows of some of the run's shards, those at
    positions start_shard to stop_shard in the order of their identifiers. Words are found in three: a part sketches the
    shards of a locale and sealing; or reads fragments of a locale out of a range of rows; or joins the words of a
    locale. The result is a file of integers.
    """

    class Step(models.IntegerChoices):
        READ_OUT = 0, _("reading out")
        SKETCH = 1, _("sketching days")
        FRAGMENTS = 2, _("reading fragments")
        WORDS = 3, _("joining words")

    DISCOVERY = (Step.SKETCH, Step.FRAGMENTS, Step.WORDS)

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

    @property
    def job(self) -> Run:
        return self.run

    def __str__(self) -> str:
        rows = f"{self.get_step_display()} {self.locale} {self.start_row}–{self.stop_row}"
        return _("%(name)s: %(value)s") % {"name": self.run, "value": rows}
