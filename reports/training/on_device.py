"""The published model as a page takes it to the reader's device."""

import base64
from dataclasses import replace
from typing import Any

import numpy as np

from aggregation import training
from reports.models import TrainingRun
from reports.training.training_arrays import model_of
from reports.training.versions import parameters_of


def on_device_model(run: TrainingRun) -> dict[str, Any] | None:
    """Return names and rows of all items, and what a device solves with; None of a model that has no such rows."""
    task = parameters_of(run.version, target_epsilon=run.target_epsilon)
    if run.split == TrainingRun.Split.USERS and task.implicit_weight is None:
        task = replace(task, implicit_weight=training.IMPLICIT_WEIGHT)
    if task.model.kind != "factored":
        return None
    model = training.device_model(task, model_of(run)["items"])
    items = model.items
    # What everybody likes is what most know: there is something to mark among the first.
    offered = np.argsort(-items[:, 0], kind="stable")
    return {
        "names": run.item_names,
        "items": _text(items),
        "width": items.shape[1],
        "middle": model.middle,
        "constant": model.constant,
        "ridge": model.ridge.tolist(),
        "implicit": model.implicit_weight,
        "gramian": _text(model.gramian) if task.is_implicit else "",
        "range": [0, 1] if task.is_implicit else list(task.rating_range),
        "offered": offered.tolist(),
    }


def _text(array: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(array, "<f4").tobytes()).decode()
