"""Versions of training tasks: drafted, changed while they are drafts, frozen when they become active."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from aggregation import training
from reports.models import TrainingTask, TrainingVersion

# The database keeps names in an order of its own.
_PLAN: Final = ("noise_multiplier", "epsilon", "delta", "rounds", "sampling_rate", "unamplified_epsilon", "unit")


def parameters_of(version: TrainingVersion, *, target_epsilon: float | None = None) -> training.TrainingTask:
    """Return a version's parameters as the trainer takes them, for another target if one is given.

    Raises `training.InvalidTask`.
    """
    mapping = {"slug": version.task.slug, "title": version.task.title, **version.parameters}
    if target_epsilon is not None:
        # A multiplier that the version prescribes is of its own target.
        mapping = {name: value for name, value in mapping.items() if name != "noise_multiplier"}
        mapping["target_epsilon"] = target_epsilon
    return training.TrainingTask.from_mapping(mapping)


def checked(task: TrainingTask, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with their defaults, as versions keep them. Raises `training.InvalidTask`."""
    whole = {"slug": task.slug, "title": task.title, **parameters}
    found = training.TrainingTask.from_mapping(whole).to_mapping()
    return {name: value for name, value in found.items() if name not in ("slug", "title")}


def save_draft(version: TrainingVersion) -> None:
    """Store a new draft of its task, or a changed one. Raises `training.InvalidTask`, or `ValidationError`."""
    version.parameters = checked(version.task, version.parameters)
    with transaction.atomic():
        task = TrainingTask.objects.select_for_update().get(pk=version.task_id)
        if version._state.adding:
            version.number = (task.versions.aggregate(newest=Max("number"))["newest"] or 0) + 1
        else:
            _locked_draft(version)
        version.save()


def draft_from(source: TrainingVersion) -> TrainingVersion:
    draft = TrainingVersion(task=source.task, parameters=source.parameters)
    save_draft(draft)
    return draft


def parameters_digest(version: TrainingVersion) -> str:
    """Return a digest of a version's parameters, which a confirmation has to repeat."""
    return hashlib.sha256(json.dumps(version.parameters, sort_keys=True).encode()).hexdigest()


def activate(version: TrainingVersion, *, confirmed: str | None = None) -> TrainingVersion:
    """Freeze a draft with its plan, and close the version that was active. Raises as `save_draft`.

    Raises `ValidationError`, too, if its parameters are not those whose digest was `confirmed`.
    """
    plan = training.plan_training(parameters_of(version)).to_mapping()
    with transaction.atomic():
        task = TrainingTask.objects.select_for_update().get(pk=version.task_id)
        found = _locked_draft(version)
        if found.parameters != version.parameters or confirmed not in {None, parameters_digest(found)}:
            raise ValidationError(_("The draft was changed meanwhile. Look at it again."))
        task.versions.filter(state=TrainingVersion.State.ACTIVE).update(state=TrainingVersion.State.CLOSED)
        found.state, found.plan = TrainingVersion.State.ACTIVE, plan
        found.save()
    return found


def plan_of(version: TrainingVersion) -> dict[str, Any]:
    """Return the plan of a version that is or was active, in the order in which it is printed."""
    plan: dict[str, Any] = version.plan or {}
    return {name: plan[name] for name in _PLAN if name in plan}


def _locked_draft(version: TrainingVersion) -> TrainingVersion:
    found = TrainingVersion.objects.select_for_update().filter(pk=version.pk).first()
    if found is None:
        raise ValidationError(_("The draft was discarded meanwhile."))
    if found.state != TrainingVersion.State.DRAFT:
        raise ValidationError(
            _("Version %(number)s is no longer a draft, so it is frozen. Make a new version from it.")
            % {"number": found.number}
        )
    return found
