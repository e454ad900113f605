"""Limits of a task to what real devices train of it, whether a run is ordered or goes on."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from aggregation import training
from reports.models import TrainingRun, TrainingTask, TrainingVersion
from reports.training.ledgers import spent_by_devices
from reports.training.versions import parameters_of


def check_devices_may_train(
    version: TrainingVersion, agreed: dict[str, Any], *, going_on: TrainingRun | None = None
) -> None:
    """Raise `ValidationError` unless devices may begin with what is agreed, or go on with a run that ended early.

    Is called in the transaction that stores the run, or takes it up: it holds the task.
    """
    task = TrainingTask.objects.select_for_update().get(pk=version.task_id)
    if not task.published:
        raise ValidationError(
            _("Devices are asked in public. Publish the task first, so that everybody may read what it promises.")
        )
    if version.state != TrainingVersion.State.ACTIVE:
        raise ValidationError(_("Only an active version is trained by devices."))
    runs = TrainingRun.objects.by_devices().filter(version__task=task)
    if runs.unfinished().exists():
        raise ValidationError(_("Devices are training this task already."))
    if going_on is None and runs.filter(agreed=agreed).exists():
        raise ValidationError(
            _(
                "Devices have trained with exactly these parameters, and do so once."
                " Go on with that run, or make a version that differs."
            )
        )
    if task.epsilon_limit is None:
        raise ValidationError(_("Give the task a limit of ε for all runs by real devices first: their runs add up."))
    # A run that goes on may spend all of its plan, which holds what it has spent.
    spent = spent_by_devices(task, but_for=going_on)
    together = spent + training.plan_training(parameters_of(version)).epsilon
    if together > task.epsilon_limit * (1 + 1e-9):
        words = _(
            "With this run, devices would have spent ε = %(together).4g in all, and the task’s limit is %(limit).4g."
        )
        raise ValidationError(words % {"together": together, "limit": task.epsilon_limit})
