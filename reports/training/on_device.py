"""The published model as a page takes it to the reader's device."""

import base64
from dataclasses import replace
from typing import Any, Final

import numpy as np

from aggregation import training
from reports.models import TrainingRun
from reports.training.training_arrays import model_of
from reports.training.versions import parameters_of

# A page carries its model: the rest of a larger catalogue are titles that people like less.
MOST_ITEMS: Final = 10_000


def on_device_model(run: TrainingRun) -> dict[str, Any] | None:
    """Return names and rows of all items, and what a device solves with; None of a model that has no such rows."""
    task = parameters_of(run.version, target_epsilon=run.target_epsilon)
    if run.split == TrainingRun.Split.USERS and task.implicit_weight is None:
        task = replace(task, implicit_weight=training.IMPLICIT_WEIGHT)
    if task.model.kind != "factored":
        return None
    model = training.device_model(task, model_of(run)["items"])
    # The items most liked are the ones most known: there is something to mark among the first.
    liked = np.argsort(-model.items[:, 0], kind="stable")[:MOST_ITEMS]
    kept = np.sort(liked)
    return {
        "names": [run.item_names[item] for item in kept.tolist()],
        "all": len(run.item_names),
        "items": _text(model.items[kept]),
        "width": model.items.shape[1],
        "middle": model.middle,
        "constant": model.constant,
        "ridge": model.ridge.tolist(),
        "implicit": model.implicit_weight,
        "gramian": _text(model.gramian) if task.is_implicit else "",
        "range": [0, 1] if task.is_implicit else list(task.rating_range),
        "offered": np.searchsorted(kept, liked).tolist(),
    }


def _text(array: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(array, "<f4").tobytes()).decode()
