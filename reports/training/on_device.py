"""The published model as a page takes it to the reader's device."""

import base64
from typing import Any

import numpy as np

from aggregation import training
from reports.models import TrainingRun
from reports.training.training_arrays import model_of
from reports.training.versions import parameters_of


def on_device_model(run: TrainingRun) -> dict[str, Any] | None:
    """Return names and rows of all items, and what a device solves with; None of a model that has no such rows."""
    task = parameters_of(run.version, target_epsilon=run.target_epsilon)
    if task.model.kind != "factored":
        return None
    items = model_of(run)["items"]
    # What everybody likes is what most know: there is something to mark among the first.
    offered = np.argsort(-items[:, 0], kind="stable")
    return {
        "names": run.item_names,
        "items": _text(items),
        "width": items.shape[1],
        "middle": task.middle,
        "constant": training.constant(task),
        "ridge": training.user_ridge(task).tolist(),
        "implicit": task.implicit_weight or 0,
        "gramian": _text(training.item_gramian(items)) if task.is_implicit else "",
        "range": [0, 1] if task.is_implicit else list(task.rating_range),
        "offered": offered.tolist(),
    }


def _text(array: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(array, "<f4").tobytes()).decode()
