"""Evaluations of parameters, and the parts that workers do of them."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.fields import person_who
from reports.models.jobs import Job, LeasedPart, unfinished_index
from reports.models.use_cases import UseCase


class Evaluation(Job):
    """A grid of parameters that is tried on true counts, kept with who asked and when.

    What is found depends on the grid, its lists and the seed alone. While it is under way, and where it failed or was
    cancelled, the parts hold what is done; of a finished one there is a document.
    """

    PLANNING = _("planning")
    FINISHING = _("summing up")

    # As its file has it, and the texts of the observed lists that it names.
    grid = models.JSONField(_("grid"))
    lists = models.JSONField(_("observed lists"), default=dict, blank=True)
    seed = models.BigIntegerField(_("seed"))
    exact_reports = models.BooleanField(_("reports one by one"), default=False)
    document = models.JSONField(_("document"), null=True, blank=True, editable=False)
    # Whose parameters or published shape it is about: who may not see that sees no evaluation of it.
    use_case = models.ForeignKey(
        UseCase,
        verbose_name=_("use case"),
        on_delete=models.CASCADE,
        related_name="evaluations",
        null=True,
        blank=True,
    )
    # Locale, days and version of the published shape that is its input, named as in addresses; empty without one.
    window = models.JSONField(_("window"), default=dict, blank=True)
    # Who has its address may look at it, and not only who asked for it.
    shared = models.BooleanField(_("shared by link"), default=False)
    requested_by = person_who(_("requested by"), blank=True)

    class Meta:
        verbose_name = _("evaluation")
        verbose_name_plural = _("evaluations")
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["requested_by", "-created_at"], name="evaluation_of_person"),
            unfinished_index("evaluation_unfinished"),
        ]

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M}"


class EvaluationPart(LeasedPart):
    """Some repetitions of some cells: the block of this number. What it found is in its facts."""

    class Step(models.IntegerChoices):
        REPEAT = 0, _("repeating")

    evaluation = models.ForeignKey(
        Evaluation, verbose_name=_("evaluation"), on_delete=models.CASCADE, related_name="parts"
    )
    number = models.PositiveIntegerField(_("block"))

    class Meta:
        verbose_name = _("part of an evaluation")
        verbose_name_plural = _("parts of evaluations")
        ordering = ["evaluation", "number"]
        constraints = [models.UniqueConstraint(fields=["evaluation", "number"], name="evaluation_part_once")]

    @property
    def job(self) -> Evaluation:
        return self.evaluation

    def __str__(self) -> str:
        return _("%(name)s: %(value)s") % {"name": self.evaluation, "value": self.number}
