"""A published factored model as a device takes it, whatever language its program is in."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .data import Ratings
from .models.factored import (
    BIAS_VARIANCE,
    RATING_VARIANCE,
    constant,
    foretold,
    item_gramian,
    local_parameters,
    user_precision,
)
from .parameters import TrainingTask


@dataclass(frozen=True, eq=False)
class DeviceModel:
    """Parameters by which a device solves for its own part of a factored model, and to foretell.

    Parameters
    ----------
    items : ndarray, shape (m, 1 + d)
        Rows of items: v₀, then v.
    middle, constant : float
        Beside the bias and ⟨u, v⟩, a rating is `middle + constant · v₀`.
    ridge : ndarray, shape (1 + d,)
        Of the bias, then of u.
    implicit_weight : float
        α₀; above 0 there is no bias, ratings are 1, and α₀ times the Gramian of all items is in the equations.
    gramian : ndarray, shape (1 + d, 1 + d)
    """

    items: Array
    middle: float
    constant: float
    ridge: Array
    implicit_weight: float
    gramian: Array


def device_model(task: TrainingTask, items: Array) -> DeviceModel:
    """Return the model of a task whose published rows these are."""
    ridge = np.full(1 + task.model.dimension, user_precision(task))
    ridge[0] = RATING_VARIANCE / BIAS_VARIANCE
    return DeviceModel(items, task.middle, constant(task), ridge, task.implicit_weight or 0.0, item_gramian(items))


def foretold_on_device(task: TrainingTask, items: Array, known: dict[int, float]) -> Array:
    """Return what one device foretells of all items from what it knows, by item; shape (m,)."""
    marked = np.array(sorted(known), np.int32)
    values = np.array([known[item] for item in marked.tolist()], items.dtype)
    user = np.zeros(len(marked), np.int32)
    ratings = Ratings(user, marked, values, ["device"], [""] * len(items))
    everything = np.arange(len(items))
    return foretold(task, items, local_parameters(task, items, ratings), np.zeros_like(everything), everything)
