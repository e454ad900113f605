"""Jobs that any number of workers do, and the parts that they lease of them: abstract, for runs and whatever else.

Leases and delays are by the database's clock: those of hosts may differ by more than a lease lasts.
"""

import datetime
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from django.db import models
from django.db.models import Q, Subquery
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from reports.models import failures

AnyJob = TypeVar("AnyJob", bound="Job")
AnyPart = TypeVar("AnyPart", bound="LeasedPart")


def unfinished_index(name: str) -> models.Index:
    """Return an index of the unfinished jobs, few at any time: pages and the sweep ask for them every few seconds."""
    return models.Index(fields=["created_at"], condition=Q(state__in=["waiting", "running"]), name=name)


class JobQuerySet(models.QuerySet[AnyJob]):
    def unfinished(self) -> Self:
        return self.filter(state__in=Job.UNFINISHED)

    def due(self) -> Self:
        """Filter for unfinished jobs that wait for no storage or database."""
        return self.unfinished().filter(Q(not_before=None) | Q(not_before__lte=Now()))


class Job(models.Model):
    """Work that workers plan, do in parts, and finish. Its parts refer to it, by a foreign key related as `parts`."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        FAILED = "failed", _("failed")

    UNFINISHED = (State.WAITING, State.RUNNING)

    # Names of the stages before and after the steps of the parts.
    PLANNING: ClassVar[str | Promise]
    FINISHING: ClassVar[str | Promise]

    if TYPE_CHECKING:
        parts: Any

    id = models.UUIDField(_("identifier"), primary_key=True, default=uuid.uuid4, editable=False)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.WAITING)
    # Or of waiting, of a job that is not finished.
    failure = models.TextField(_("reason of failure"), blank=True)
    # Errors in planning and finishing that do not pass by themselves; those of parts are counted there.
    errors = models.PositiveIntegerField(_("errors"), default=0)
    # The first of the errors in a row that pass by themselves, as when the storage does not answer.
    failing_since = models.DateTimeField(_("failing since"), null=True, blank=True)
    # When an unfinished job is tried again; when another is ordered by itself in place of a failed one.
    not_before = models.DateTimeField(_("not before"), null=True, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    planned_at = models.DateTimeField(_("planned"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        abstract = True

    @property
    def steps(self) -> Sequence[models.IntegerChoices]:
        """The steps of its parts, in their order, known before it is planned."""
        return tuple(self.parts.model.Step)

    @property
    def failure_in_words(self) -> str:
        """The reason of failure, in the language of now."""
        return failures.in_words(self.failure)

    @property
    def is_cancelled(self) -> bool:
        """Tell whether it ended because a person wanted it to, and not by an error."""
        return self.state == self.State.FAILED and self.failure == failures.CANCELLED

    @property
    def state_in_words(self) -> str:
        return gettext("cancelled") if self.is_cancelled else str(self.State(self.state).label)

    @property
    def waits_until(self) -> datetime.datetime | None:
        """Time at which an unfinished job that waits for what it needs is tried again."""
        waits = self.state in self.UNFINISHED and self.not_before is not None and self.not_before > timezone.now()
        return self.not_before if waits else None

    @property
    def is_complete(self) -> bool:
        """Tell whether it is planned, and none of its parts is left to be done."""
        return self.planned_at is not None and not self.parts.unfinished().exists()

    def update_unfinished(self, **fields: Any) -> bool:
        """Change its row, unless it has ended; returns whether it has not."""
        return bool(type(self).objects.unfinished().filter(pk=self.pk).update(**fields))


class PartQuerySet(models.QuerySet[AnyPart]):
    """Parts of one job."""

    def unfinished(self) -> Self:
        return self.filter(finished_at=None)

    def ready(self) -> Self:
        """Filter for parts that wait for no other: those of the first step that is not done."""
        unfinished = self.unfinished()
        return unfinished.filter(step=Subquery(unfinished.order_by("step").values("step")[:1]))

    def available(self) -> Self:
        """Filter for parts whose lease may be taken."""
        return self.ready().filter(Q(lease_expires_at=None) | Q(lease_expires_at__lt=Now()))


class LeasedPart(models.Model):
    """The unit of parallel work of a job. Parts of a step wait for all of the steps before.

    The worker with the lease works on it; an expired lease may be taken over by any other. The result is stored once,
    whichever worker delivers it first. Attempts are leases: those that ended because the storage or the database was
    away do not count; other attempts without an error were lost with their worker.
    """

    step = models.PositiveSmallIntegerField(_("step"), default=0)
    lease_expires_at = models.DateTimeField(_("lease expires"), null=True, blank=True)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    errors = models.PositiveIntegerField(_("errors"), default=0)
    file_name = models.CharField(_("result file"), max_length=200, blank=True)
    # Facts about a result beside its file, such as how strict a cut was.
    facts = models.JSONField(_("facts"), default=dict, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    objects = PartQuerySet.as_manager()

    class Meta:
        abstract = True

    @property
    def job(self) -> Job:
        raise NotImplementedError

    def update_unfinished(self, **fields: Any) -> bool:
        """Change its row, unless it is done or gone; returns whether it is neither."""
        return bool(type(self).objects.unfinished().filter(pk=self.pk).update(**fields))


class WorkerHeartbeat(models.Model):
    """The newest heartbeat of any worker: a single row, written over at each of their tasks."""

    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.seen_at)


class WorkerHost(models.Model):
    """Machine on which a worker runs, by its own name; forgotten a day after its last heartbeat."""

    name = models.CharField(max_length=255, primary_key=True)
    seen_at = models.DateTimeField()
    # Share of the disk of its data folder, or of the disk with the shards if that is fuller.
    free_disk_share = models.FloatField()

    def __str__(self) -> str:
        return self.name


class OperatorAlert(models.Model):
    """Trouble that operators were told of, and that is not over."""

    trouble = models.CharField(max_length=300, primary_key=True)

    def __str__(self) -> str:
        return self.trouble
