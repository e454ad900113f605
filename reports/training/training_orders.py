"""Ordering training runs, cancelling them, and forgetting what their devices held."""

import datetime
import json
import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from aggregation import training
from aggregation.errors import ParameterError
from reports.jobs import cancel, enqueue, retry
from reports.models import TrainingFile, TrainingRun, TrainingVersion
from reports.models.failures import CANCELLED
from reports.training.device_limits import check_devices_may_train
from reports.training.training_arrays import DeviceData, arrays_of, forget_devices, save_files, stored_arrays
from reports.training.versions import parameters_of

_DRAWN_SEEDS = 2**31
# The database keeps seeds in 64 bits, with a sign.
MOST_SEED = 2**63 - 1
# Data of devices of a failed run are kept for a retry, and no longer.
KEPT_FOR_RETRY = datetime.timedelta(days=1)


def drawn_seed() -> int:
    """Draw a seed that is short enough to be typed."""
    return secrets.randbelow(_DRAWN_SEEDS)


def order_training(
    version: TrainingVersion,
    data: DeviceData | None = None,
    *,
    catalogue: Mapping[str, Any] | None = None,
    target_epsilon: float | None = None,
    non_private: bool = False,
    sealed: bool = False,
    seed: int | None = None,
    split: str = TrainingRun.Split.RATINGS,
    user: User | None = None,
    ring: bool = True,
) -> TrainingRun:
    """Order a run over the data of simulated devices, or over the invented catalogue; call workers with `ring`.

    Raises `training.InvalidTask`, with the figure, for a target that cannot be kept or a seed out of range, and
    `training.DataError` for data that do not fit.
    """
    if seed is not None and not 0 <= seed <= MOST_SEED:
        words = f"seed must be an integer from 0 to {MOST_SEED}, not {seed}."
        raise training.InvalidTask([ParameterError("seed", words)])
    task = parameters_of(version, target_epsilon=target_epsilon)
    if not non_private:
        training.plan_training(task)
    if data is not None:
        training.check_data(task, *data)
    run = TrainingRun(
        version=version,
        target_epsilon=target_epsilon,
        non_private=non_private,
        sealed=sealed,
        split=split,
        seed=drawn_seed() if seed is None else seed,
        catalogue=dict(catalogue or {}),
        data=_digest(data, catalogue),
        item_names=[] if data is None else [*data.ratings.item_names],
        feature_names=[] if data is None or data.features is None else [*data.features.names],
        requested_by=user,
    )
    with ExitStack() as stack:
        files = stack.enter_context(stored_arrays(TrainingFile.Kind.DEVICES, {} if data is None else arrays_of(data)))
        stack.enter_context(transaction.atomic())
        run.save()
        save_files(run, files)
        if ring:
            transaction.on_commit(lambda: enqueue(run))
    return run


def _digest(data: DeviceData | None, catalogue: Mapping[str, Any] | None) -> str:
    keyed = salted_hmac("reports.training", json.dumps(catalogue, sort_keys=True), algorithm="sha256")
    for array in [] if data is None else arrays_of(data).values():
        keyed.update(np.ascontiguousarray(array).data)
    return keyed.hexdigest()


def cancel_training(run: TrainingRun) -> bool:
    """End an unfinished run, and forget what its devices held; returns whether it was unfinished. What is out stays."""
    with transaction.atomic():
        ended = bool(cancel([run], CANCELLED, keep_parts=True))
        if ended:
            forget_devices(run)
    return ended


def may_go_on(run: TrainingRun) -> bool:
    """Tell whether a run that ended early can be trained again: what its devices held is there, or invented anew.

    Of one by real devices the next round is opened.
    """
    ended_early = run.state == TrainingRun.State.FAILED and not run.is_spent
    has_devices = run.by_devices or bool(run.catalogue)
    return ended_early and (has_devices or run.files.filter(kind=TrainingFile.Kind.DEVICES).exists())


@transaction.atomic
def retry_training(run: TrainingRun) -> None:
    """Begin a run anew that failed or was cancelled, if that is possible. Of its seed it lets out the same again.

    A run by real devices goes on with its rounds. Raises `ValidationError` where the task does not allow that now.
    """
    # Held, so that what its devices held is not forgotten meanwhile.
    held = TrainingRun.objects.select_for_update(of=("self",)).filter(pk=run.pk).first()
    if held is not None and may_go_on(held):
        if held.by_devices:
            check_devices_may_train(held.version, held.agreed, going_on=held)
        retry(held)


def forget_old_devices() -> None:
    """Forget what devices of runs held that failed long ago."""
    failed = TrainingRun.objects.filter(state=TrainingRun.State.FAILED, finished_at__lt=timezone.now() - KEPT_FOR_RETRY)
    for run in failed.filter(files__kind=TrainingFile.Kind.DEVICES).distinct():
        with transaction.atomic():
            # Unless it is being trained again meanwhile.
            if held := failed.select_for_update(of=("self",)).filter(pk=run.pk).first():
                forget_devices(held)
