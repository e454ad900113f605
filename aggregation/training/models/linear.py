"""Linear and logistic models of public features: one vector of coefficients, the same for everybody.

A linear model foretells `middle + θᵀx`, with a 1 before the features; a logistic one p = 1/(1 + exp(-θᵀx)), which is
read as a rating between the lowest and the highest, and trained on ratings so scaled.
"""

import numpy as np

from ...arrays import Array
from ..data import Features, Rated
from ..parameters import TrainingTask


class LinearGradients:
    """The loss is half the mean squared error of a person's ratings, or their mean log loss."""

    parameter = "coefficients"
    by_item = False
    rows: tuple[str, ...] = ("features",)

    def initial(
        self, task: TrainingTask, items: int, features: Features | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Begin with coefficients of 0."""
        values = np.zeros((items, 0), np.float32) if features is None else features.values
        x = np.concatenate([np.ones((items, 1), np.float32), values], axis=1)
        return {"coefficients": np.zeros(x.shape[1], np.float32), "features": x}

    def size(self, task: TrainingTask, features: int) -> int:
        """Return how many coefficients there are."""
        return 1 + features

    def learning_rate(self, task: TrainingTask, items: int) -> float:
        """Return a step; a probability is less steep than a line."""
        return 2.0 if task.model.kind == "logistic" else 0.2

    def steps(self, task: TrainingTask, shared: dict[str, Array], rated: Rated, steps: int, rate: float) -> Array:
        """Return the moves of each person's coefficients; shape (people, features)."""
        x = shared["features"][rated.places].astype(shared["coefficients"].dtype)
        people, owner = len(rated.offsets) - 1, rated.owners
        targets = scaled(task, rated.values)
        moved = np.zeros((people, x.shape[1]), x.dtype)
        for step in range(steps):
            used = rated.in_batch(task.batch, step)
            size = np.maximum(np.bincount(owner, used, people), 1)
            errors = targets - linked(task, np.einsum("nf,nf->n", x, (shared["coefficients"] + moved)[owner]))
            errors = errors * used / size[owner]
            sums = [np.bincount(owner, errors * column, people) for column in x.T]
            moved += rate * np.stack(sums, axis=1).astype(x.dtype)
        return moved


def scaled(task: TrainingTask, values: Array) -> Array:
    """Return ratings as the model has them."""
    if task.model.kind == "logistic":
        return np.asarray((values - task.rating_range[0]) / (task.rating_range[1] - task.rating_range[0]))
    return np.asarray(values - task.middle)


def linked(task: TrainingTask, products: Array) -> Array:
    """Return what θᵀx foretells, scaled as ratings are."""
    return 1 / (1 + np.exp(-products)) if task.model.kind == "logistic" else products


def ratings_of(task: TrainingTask, shared: dict[str, Array]) -> Array:
    """Return the rating that the model foretells for each item; shape (items,)."""
    found = linked(task, shared["features"] @ shared["coefficients"])
    if task.model.kind == "logistic":
        return np.asarray(task.rating_range[0] + found * (task.rating_range[1] - task.rating_range[0]))
    return np.asarray(task.middle + found)
