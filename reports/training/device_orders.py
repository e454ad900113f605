"""Ordering runs by real devices: what is agreed with their owners, and the parameters of the first round."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from aggregation import training
from aggregation.errors import ParameterError
from aggregation.training.roles import Catalogue, Configuration, MessageLengths, awaited_messages, work_for
from reports.jobs import enqueue
from reports.models import TrainingFile, TrainingRun, TrainingVersion
from reports.training.device_limits import check_devices_may_train
from reports.training.device_rounds import EVALUATE, TRAIN
from reports.training.training_arrays import catalogue_data, save_files, stored_arrays
from reports.training.training_orders import drawn_seed
from reports.training.trusted_processes import trusted_processes
from reports.training.versions import parameters_of

DAY: Final = timedelta(days=1)
"""Usual length of a round, after which it is released with fewer messages than it was to have, if they are enough."""


def order_device_run(
    version: TrainingVersion,
    by: User | None = None,
    *,
    items: Sequence[str] | None = None,
    features: training.Features | None = None,
    round_length: timedelta = DAY,
    ring: bool = True,
) -> TrainingRun:
    """Order a run by devices that take part over the network; call workers with `ring`.

    Parameters
    ----------
    version : TrainingVersion
    by : User, optional
    items : sequence of str, optional
        Names of all items, which are public; without them those of the task's newest run.
    features : Features, optional
        Of the items, in their order.
    round_length : timedelta
    ring : bool

    Raises
    ------
    ValidationError
        For what this site, or the task as it stands, does not allow.
    InvalidTask
        For parameters with which no round could be released.
    """
    if trusted_processes() is None:
        raise ValidationError(
            _("This site knows no trusted processes of training, without which no device takes part.")
        )
    if items is None:
        items, known = known_items(version)
        features = known if features is None else features
    task = parameters_of(version)
    training.plan_training(task)
    agreed = _agreed(task, Catalogue(len(items), 0 if features is None else len(features.names)))
    seed = drawn_seed()
    shape = training.Shape(len(items), features)
    shared = training.algorithm_for(task).initial(task, shape, np.random.default_rng(seed))
    run = TrainingRun(
        version=version,
        sealed=True,
        agreed=agreed,
        round_length=round_length,
        seed=seed,
        item_names=[*items],
        feature_names=[] if features is None else [*features.names],
        requested_by=by,
    )
    with stored_arrays(TrainingFile.Kind.MODEL, shared) as files, transaction.atomic():
        check_devices_may_train(version, agreed)
        run.save()
        save_files(run, files)
        if ring:
            transaction.on_commit(lambda: enqueue(run))
    # As the database has it, of which devices are told.
    run.refresh_from_db()
    return run


def device_configuration(run: TrainingRun) -> dict[str, Any]:
    """Return what a device that shall take part has to be configured with, by another way than this site.

    The keys are what the processes say now; who configures devices holds them against what the processes printed.
    Raises an OSError if they do not answer.
    """
    processes = trusted_processes()
    said = {} if processes is None else processes.identities()
    keys = {role: identity["verifying_key"] for role, identity in said.items()}
    code = said["aggregator"]["code"]
    return Configuration(**keys, code=code, task=run.agreed["task"], catalogue=run.agreed["catalogue"]).to_mapping()


def known_items(version: TrainingVersion) -> tuple[Sequence[str], training.Features | None]:
    """Return items and features of the newest run of a task that had any. Raises `ValidationError` if none had.

    Features are those of an invented catalogue: of files they are not kept.
    """
    runs = TrainingRun.objects.filter(version__task=version.task_id).exclude(item_names=[])
    newest = runs.order_by("-created_at").first()
    if newest is None:
        raise ValidationError(_("No run of this task has said yet which items there are. Give their names."))
    if newest.catalogue:
        known = catalogue_data(newest.catalogue)
        return known.ratings.item_names, known.features
    return newest.item_names, None


def _agreed(task: training.TrainingTask, catalogue: Catalogue) -> dict[str, Any]:
    """Return what devices agree to, if its rounds can be done. Raises `InvalidTask`."""
    mapping = task.to_mapping()
    problems = []
    if task.mode is training.Mode.EVALUATE_ONLY:
        problems.append(ParameterError("mode", "mode must be one that trains, for a run by devices."))
    if catalogue.features == 0 and (task.public_features or task.model.kind != "factored"):
        problems.append(
            ParameterError("public_features", "The task needs public features of the items; give their file.")
        )
    if problems:
        raise training.InvalidTask(problems)
    work = work_for(mapping, catalogue, TRAIN)
    expected = awaited_messages(work)
    if expected > task.population:
        words = f"A round needs some {expected} devices, and the population is {task.population}. Lower report_goal."
        problems.append(ParameterError("report_goal", words))
    if MessageLengths.of(work).contribution > settings.LDPSITE_SMALL_BODY_BYTES:
        most = settings.LDPSITE_SMALL_BODY_BYTES
        words = f"A contribution would have more than {most} bytes. Lower items_per_user, or dimension."
        problems.append(ParameterError("items_per_user", words))
    if problems:
        raise training.InvalidTask(problems)
    # Where too few are held out, nothing would ever be released of them.
    evaluated = task.mode is training.Mode.TRAIN_AND_EVALUATE and (
        awaited_messages(work_for(mapping, catalogue, EVALUATE)) <= task.population
    )
    return {"task": mapping, "catalogue": catalogue.to_mapping(), "evaluated": evaluated}
