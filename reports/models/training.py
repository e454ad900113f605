"""Training tasks, their versions, and the runs that train a model: rounds, what they let out, and their files."""

from typing import Self

from django.contrib.auth.models import Group
from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.fields import person_who
from reports.models.jobs import Job, JobQuerySet, LeasedPart, unfinished_index
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
    # Runs by real devices are refused above it; simulated ones touch no person.
    epsilon_limit = models.FloatField(
        _("limit of ε for all runs by real devices"), null=True, blank=True, validators=[AtLeast(0)]
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


class TrainingRunQuerySet(JobQuerySet["TrainingRun"]):
    def by_devices(self) -> Self:
        """Filter for runs in which real devices take part."""
        return self.exclude(agreed={})


class TrainingRun(Job):
    """Training of a version's model, by simulated devices or by those that take part over the network.

    Of simulated ones noise is of a secret seed, so that a run that is begun anew is the same; what they hold is kept
    until it has ended, and never shown. Of others nothing is here but what was released of their rounds.
    """

    PLANNING = _("planning")
    FINISHING = _("publishing")

    class Split(models.TextChoices):
        # Either a part of each person's ratings is held out, or some people with all of theirs.
        RATINGS = "ratings", _("ratings")
        USERS = "users", _("people")

    class Source(models.TextChoices):
        # Whose data a run is of: people of a file may be real, though the devices that hold its ratings are simulated.
        DEVICES = "real_devices", _("by real devices")
        FILE = "simulated_with_file", _("simulated, with the ratings of a file")
        INVENTED = "simulated_with_invented_people", _("simulated, with invented people")

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
    # Task and catalogue, to which owners of real devices agreed; empty where they are simulated. A task whose title
    # has changed since would be another to them.
    agreed = models.JSONField(_("agreed with devices"), default=dict, blank=True, editable=False)
    # Time after which a round of real devices is released with fewer messages than it was to have, if they are enough.
    round_length = models.DurationField(_("length of a round"), null=True, blank=True)
    # Public: what is rated, and what is known of it.
    item_names = models.JSONField(_("items"), default=list, blank=True)
    feature_names = models.JSONField(_("features"), default=list, blank=True)
    # As `train` prints it.
    document = models.JSONField(_("document"), null=True, blank=True, editable=False)
    requested_by = person_who(_("requested by"), blank=True)

    objects = TrainingRunQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        verbose_name = _("training run")
        verbose_name_plural = _("training runs")
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["version", "-created_at"], name="training_run_of_version"),
            unfinished_index("training_run_unfinished"),
        ]

    def __str__(self) -> str:
        return f"{self.version}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def is_spent(self) -> bool:
        """Tell whether its whole budget counts as spent: the last releases of a failed sealed run may be unrecorded."""
        is_simulated = self.sealed and not self.by_devices
        return is_simulated and self.state == self.State.FAILED and self.started_at is not None

    @property
    def by_devices(self) -> bool:
        """Tell whether devices take part over the network, and none is simulated."""
        return bool(self.agreed)

    @property
    def source_of_data(self) -> Source:
        if self.by_devices:
            return self.Source.DEVICES
        return self.Source.INVENTED if self.catalogue else self.Source.FILE


class TrainingPart(LeasedPart):
    """Rounds of a run, as one part: each begins with what the one before let out."""

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


class DeviceRound(models.Model):
    """Round of real devices: what they are handed, and how many messages were carried. No message is ever in it."""

    class Purpose(models.TextChoices):
        TRAIN = "train", _("training")
        EVALUATE = "evaluate", _("evaluation")

    class State(models.TextChoices):
        OPEN = "open", _("open")
        RELEASED = "released", _("released")
        LOST = "lost", _("lost")

    run = models.ForeignKey(
        TrainingRun, verbose_name=_("training run"), on_delete=models.CASCADE, related_name="device_rounds"
    )
    purpose = models.CharField(_("purpose"), max_length=10, choices=Purpose.choices)
    number = models.PositiveIntegerField(_("round"))
    # The last round of training before an evaluation.
    after = models.PositiveIntegerField(_("round of training"), default=0)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.OPEN)
    # As they are signed; empty until both processes have answered.
    aggregator = models.BinaryField(_("statement of the aggregator"), default=b"")
    distributor = models.BinaryField(_("statement of the distributor"), default=b"")
    # SHA-256 of the task, as messages have it.
    digest = models.CharField(_("digest of the task"), max_length=64, blank=True)
    contribution_bytes = models.PositiveIntegerField(_("bytes of a contribution"), default=0)
    request_bytes = models.PositiveIntegerField(_("bytes of a request for rows"), default=0)
    # Messages after which it is released, and those that were carried.
    expected = models.PositiveBigIntegerField(_("messages expected"), default=0)
    relayed = models.PositiveBigIntegerField(_("messages relayed"), default=0)
    # Messages by the name of the reason for which they were not counted.
    refused = models.JSONField(_("messages refused"), default=dict, blank=True)
    opened_at = models.DateTimeField(_("opened"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        verbose_name = _("round of devices")
        verbose_name_plural = _("rounds of devices")
        ordering = ["run", "purpose", "number"]
        constraints = [models.UniqueConstraint(fields=["run", "purpose", "number"], name="device_round_once")]

    def __str__(self) -> str:
        return _("%(name)s: %(value)s") % {"name": self.run, "value": self.number}

    @property
    def is_over(self) -> bool:
        return self.state != self.State.OPEN


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
