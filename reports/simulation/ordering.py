"""Ordering a simulation of a use case, and removing it with all that came of it."""

from django.db import transaction

from reports.definitions import copy_for_simulation
from reports.jobs import cancel, enqueue
from reports.models import Batch, Histogram, PeriodTotal, QuarantinedShard, ReadOut, Run, Shard, Simulation, UseCase
from reports.models.failures import CANCELLED
from reports.models.versions import Version
from reports.pending_files import delete_after_commit

# Rows of a version that name files, or that keep other rows from being deleted; the dependent ones first.
_WITH_FILES = (Shard, QuarantinedShard, ReadOut, PeriodTotal)


def start_simulation(version: Version, reports: int, days: int) -> Simulation:
    """Copy a use case with this version for simulated reports, and order them; what was simulated before goes.

    Raises `ValidationError` for a version that cannot be activated.
    """
    with transaction.atomic():
        if before := UseCase.objects.filter(simulation_of=version.use_case_id).first():
            remove_simulation(before)
        simulation = Simulation.objects.create(version=copy_for_simulation(version), reports=reports, days=days)
        transaction.on_commit(lambda: enqueue(simulation))
    return simulation


@transaction.atomic
def remove_simulation(copy: UseCase) -> None:
    """Delete a copy for simulated reports: nothing of it is anybody's."""
    if copy.simulation_of_id is None:
        raise ValueError(f"{copy.slug} is no simulation.")
    of_copy = {"version__use_case": copy}
    cancel(list(Simulation.objects.unfinished().filter(**of_copy)), CANCELLED)
    runs = Run.objects.filter(**of_copy)
    cancel(list(runs.unfinished().select_for_update(of=("self",))), CANCELLED)
    Histogram.objects.filter(**of_copy).delete()
    for model in _WITH_FILES:
        rows = model._default_manager.filter(**of_copy)
        delete_after_commit(rows.values_list("file_name", flat=True))
        rows.delete()
    runs.delete()
    Batch.objects.filter(use_case_ids=[copy.pk]).delete()
    copy.delete()
