"""Use cases and training tasks as commands name them."""

from django.core.management.base import CommandError

from reports.models import TrainingTask, TrainingVersion, UseCase


def use_case_named(slug: str) -> UseCase:
    """Return the use case with an identifier. Raises `CommandError` if there is none."""
    found = UseCase.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"There is no use case {slug!r}.")
    return found


def active_task_named(slug: str) -> TrainingVersion:
    """Return the active version of the training task with an identifier. Raises `CommandError` if there is none."""
    versions = TrainingVersion.objects.select_related("task").filter(task__slug=slug)
    if not versions and not TrainingTask.objects.filter(slug=slug).exists():
        raise CommandError(f"There is no training task {slug!r}. `apply_training_tasks FILE.json` makes one.")
    active = versions.filter(state=TrainingVersion.State.ACTIVE).first()
    if active is None:
        raise CommandError(f"The training task {slug!r} has no active version. Activate one in the admin first.")
    return active
