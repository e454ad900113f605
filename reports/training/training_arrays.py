"""Arrays of a training run in the storage: its published model, and what simulated devices hold until it has ended."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from aggregation import training
from reports.models import TrainingFile, TrainingRun
from reports.models.uploads import utc_today
from reports.pending_files import commit, delete_after_commit, reserved
from reports.storage import Array, new_name, open_array, store_array

FOLDER = "training"


class DeviceData(NamedTuple):
    """Data that simulated devices hold, and the public features of the items."""

    ratings: training.Ratings
    features: training.Features | None = None


@contextmanager
def stored_arrays(kind: TrainingFile.Kind, arrays: Mapping[str, Array]) -> Iterator[list[TrainingFile]]:
    """Store arrays for the rows of a run, which the block saves; without them they are gone at its end."""
    today = utc_today()
    files = [
        TrainingFile(kind=kind, name=name, shape=[*array.shape], file_name=new_name(FOLDER), day=today)
        for name, array in arrays.items()
    ]
    names = [file.file_name for file in files]
    with reserved(names):
        for file, array in zip(files, arrays.values(), strict=True):
            store_array(np.ascontiguousarray(array), file.file_name, today)
        yield files


def save_files(run: TrainingRun, files: list[TrainingFile]) -> None:
    """Make files those of a run, in the transaction that saves it, in place of its earlier ones of their kind."""
    if not files:
        return
    _delete(run, files[0].kind)
    for file in files:
        file.run = run
    TrainingFile.objects.bulk_create(files)
    commit(file.file_name for file in files)


def model_of(run: TrainingRun) -> dict[str, Array]:
    """Return the published parameters of a finished run, by their names."""
    return _arrays(run, TrainingFile.Kind.MODEL)


def arrays_of(data: DeviceData) -> dict[str, Array]:
    """Return what devices hold as arrays, without people's names."""
    ratings = data.ratings
    found: dict[str, Array] = {name: getattr(ratings, name) for name in ("users", "items", "values")}
    return found if data.features is None else found | {"features": data.features.values}


def devices_data(run: TrainingRun) -> DeviceData:
    """Return what the simulated devices of a run hold: of its files, or of the invented catalogue."""
    if run.catalogue:
        return catalogue_data(run.catalogue)
    arrays = _arrays(run, TrainingFile.Kind.DEVICES)
    features = arrays.pop("features", None)
    # Ratings come in the order of users, each of whom has some.
    users = [str(number) for number in range(int(arrays["users"][-1]) + 1)]
    ratings = training.Ratings(**arrays, user_names=users, item_names=run.item_names)
    return DeviceData(ratings, None if features is None else training.Features(features, run.feature_names))


def catalogue_data(parameters: Mapping[str, Any]) -> DeviceData:
    """Return what people of the invented catalogue hold; films are named with what is publicly known of them."""
    found = training.invented_catalogue(**parameters)
    names = [f"{film.title} ({film.year}, {', '.join(film.genres)})" for film in found.films]
    return DeviceData(replace(found.ratings, item_names=names), found.features)


def forget_devices(run: TrainingRun) -> None:
    """Delete what the simulated devices of a run hold, in a transaction."""
    _delete(run, TrainingFile.Kind.DEVICES)


def _delete(run: TrainingRun, kind: str) -> None:
    files = run.files.filter(kind=kind)
    delete_after_commit(files.values_list("file_name", flat=True))
    files.delete()


def _arrays(run: TrainingRun, kind: TrainingFile.Kind) -> dict[str, Array]:
    return {file.name: open_array(file.file_name).reshape(file.shape) for file in run.files.filter(kind=kind)}
