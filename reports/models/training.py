"""Training tasks, their versions, and the runs that train a model: rounds, what they let out, and their files."""

from collections.abc import Sequence

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.jobs import Job, LeasedPart
from reports.models.validators import AtLeast, validate_storable, validate_task_identifier, validate_text


class TrainingTask(models.Model):
    """Model that is trained on data which stay on devices, with everything about it that may change at any time."""

    slug = models.SlugField(_("identifier"), max_length=50, unique=True, validators=[validate_task_identifier])
    title = models.CharField(_("title"), max_length=200, validators=[validate_text])
    description = models.TextField(_("description"), blank=True, validators=[validate_storable])
    viewer_groups = models.ManyToManyField(Group, verbose_name=_("viewer groups"), related_name="+", blank=True)
    owner_group = models.ForeignKey(
        Group, verbose_name=_("owner group"), on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    published = models.BooleanField(
        _("everybody may read its privacy statement, and use its model on their own device"), default=False
    )

    class Meta:
        verbose_name = _("training task")
        verbose_name_plural = _("training tasks")
        ordering = ["title", "slug"]

    def __str__(self) -> str:
        return self.title

    def active_version(self) -> "TrainingVersion | None":
        return self.versions.filter(state=TrainingVersion.State.ACTIVE).first()


class TrainingVersion(models.Model):
    """Parameters of a task. Frozen when it becomes active, with the plan of its noise."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        ACTIVE = "active", _("active")
        CLOSED = "closed", _("closed")

    task = models.ForeignKey(
        TrainingTask, verbose_name=_("training task"), on_delete=models.CASCADE, related_name="versions"
    )
    number = models.PositiveIntegerField(_("version"), validators=[AtLeast(1)])
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.DRAFT)
    # As a task file has them, without the identifier and the title.
    parameters = models.JSONField(_("parameters"))
    # As `plan_training` prints it, from its activation on: pages do no accounting.
    plan = models.JSONField(_("plan"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("version of a training task")
        verbose_name_plural = _("versions of training tasks")
        ordering = ["task", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="training_version_number"),
            models.UniqueConstraint(
                fields=["task"], condition=models.Q(state="active"), name="training_version_one_active"
            ),
        ]

    def __str__(self) -> str:
        return _("%(name)s, version %(number)s") % {"name": self.task, "number": self.number}


class TrainingRun(Job):
    """Training of a version's model by simulated devices. Its noise is of a secret seed: begun anew it is the same.

    What the devices hold is kept until it has ended, and never shown.
    """

    PLANNING = _("planning")
    FINISHING = _("publishing")

    class Split(models.TextChoices):
        # Of each person's ratings a part is held out, or the whole of some people.
        RATINGS = "ratings", _("ratings")
        USERS = "users", _("people")

    version = models.ForeignKey(
        TrainingVersion, verbose_name=_("version"), on_delete=models.CASCADE, related_name="runs"
    )
    # In place of the version's target.
    target_epsilon = models.FloatField(_("target ε"), null=True, blank=True)
    non_private = models.BooleanField(_("without noise"), default=False)
    # Contributions go through the processes of all roles, and not through their vectorised equivalent.
    sealed = models.BooleanField(_("sealed"), default=False)
    split = models.CharField(_("held out"), max_length=10, choices=Split.choices, default=Split.RATINGS)
    seed = models.BigIntegerField(_("seed"))
    # Parameters of the invented catalogue; empty where devices hold the ratings of a file.
    catalogue = models.JSONField(_("invented catalogue"), default=dict, blank=True)
    # Keyed digest of what devices hold: runs of the same are compared.
    data = models.CharField(_("digest of the data"), max_length=64, blank=True)
    # Public: what is rated, and what is known of it.
    item_names = models.JSONField(_("items"), default=list, blank=True)
    feature_names = models.JSONField(_("features"), default=list, blank=True)
    # As `train` prints it.
    document = models.JSONField(_("document"), null=True, blank=True, editable=False)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("requested by"),
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
    )

    class Meta:
        verbose_name = _("training run")
        verbose_name_plural = _("training runs")
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["version", "-created_at"], name="training_run_of_version"),
            models.Index(
                fields=["created_at"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="training_run_unfinished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def is_spent(self) -> bool:
        """Whether its whole budget counts as spent: the last releases of a failed sealed run may be unrecorded."""
        return self.sealed and self.state == self.State.FAILED and self.started_at is not None

    @property
    def steps(self) -> "Sequence[TrainingPart.Step]":
        return (TrainingPart.Step.TRAIN,)


class TrainingPart(LeasedPart):
    """All rounds of a run: each begins with what the one before let out."""

    class Step(models.IntegerChoices):
        TRAIN = 0, _("training")

    run = models.ForeignKey(TrainingRun, verbose_name=_("training run"), on_delete=models.CASCADE, related_name="parts")

    class Meta:
        verbose_name = _("part of a training run")
        verbose_name_plural = _("parts of training runs")

    @property
    def job(self) -> TrainingRun:
        return self.run

    def __str__(self) -> str:
        return str(self.run)


class TrainingRound(models.Model):
    """Round of a run: the figures of its model, and what it let out."""

    run = models.ForeignKey(
        TrainingRun, verbose_name=_("training run"), on_delete=models.CASCADE, related_name="rounds"
    )
    number = models.PositiveIntegerField(_("round"))
    # Spent until its end; none without noise.
    epsilon = models.FloatField("ε", null=True, blank=True)
    figures = models.JSONField(_("figures"), default=dict)
    # Name, sensitivity and standard deviation of the noise of each.
    releases = models.JSONField(_("releases"), default=list)
    ended_at = models.DateTimeField(_("ended"), auto_now=True)

    class Meta:
        verbose_name = _("round of a training run")
        verbose_name_plural = _("rounds of training runs")
        ordering = ["run", "number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="training_round_once")]

    def __str__(self) -> str:
        return _("%(name)s: %(value)s") % {"name": self.run, "value": self.number}


class TrainingFile(models.Model):
    """Array of a run in the storage: of the published model, or of what simulated devices hold."""

    class Kind(models.TextChoices):
        MODEL = "model", _("model")
        DEVICES = "devices", _("data of simulated devices")

    run = models.ForeignKey(TrainingRun, verbose_name=_("training run"), on_delete=models.CASCADE, related_name="files")
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    name = models.CharField(_("name"), max_length=40)
    shape = models.JSONField(_("shape"))
    file_name = models.CharField(_("file"), max_length=200)
    day = models.DateField(_("day"))

    class Meta:
        verbose_name = _("array of a training run")
        verbose_name_plural = _("arrays of training runs")
        ordering = ["run", "kind", "name"]
        constraints = [models.UniqueConstraint(fields=["run", "kind", "name"], name="training_file_once")]

    def __str__(self) -> str:
        return self.name
