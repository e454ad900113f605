"""Gradients of factored models: each person's own parameters are solved for, and what is left moves the items."""

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Integers
from ..data import Features
from ..parameters import TrainingTask
from .factored import constant, solve_users, vector_norm
from .gradients import in_batch


class FactoredGradients:
    """The loss is half the sum of squared errors of a person's ratings; u has the norm that it has in DPAM's sums."""

    parameter = "items"
    by_item = True
    rows: tuple[str, ...] = ("items",)
    whole: tuple[str, ...] = ()

    def initial(
        self, task: TrainingTask, items: int, features: Features | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Draw items at random."""
        vectors = rng.standard_normal((items, task.model.dimension))
        scale = 0.1 * task.span / vector_norm(task) / np.sqrt(task.model.dimension)
        return {"items": np.concatenate([np.zeros((items, 1)), scale * vectors], axis=1).astype(np.float32)}

    def size(self, task: TrainingTask, features: int) -> int:
        """Return the length of an item's row."""
        return 1 + task.model.dimension

    def learning_rate(self, task: TrainingTask, items: int) -> float:
        """Return a step that grows with the items, of which a person moves only few, and is shorter the more noise.

        As it is at ε = 4 it stays: steps half as long again were seen to run away, from one beginning in six.
        """
        return float(0.0125 * items * min(task.target_epsilon, 4.0) ** 0.62)

    def steps(
        self,
        task: TrainingTask,
        shared: dict[str, Array],
        places: NDArray[np.integer],
        offsets: Integers,
        values: Array,
        steps: int,
        rate: float,
    ) -> Array:
        """Return the moves of each rating's row; shape (n, 1 + d)."""
        items = shared["items"]
        start = offsets - offsets[0]
        local = solve_users(task, items, None, places, start, values)
        owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
        norms = np.linalg.norm(local.vectors, axis=1, keepdims=True)
        vectors = local.vectors * (vector_norm(task) / np.maximum(norms, np.finfo(items.dtype).tiny))
        constants = np.full((len(vectors), 1), constant(task))
        users = np.concatenate([constants, vectors], axis=1).astype(items.dtype)[owner]
        targets = (values - task.middle - local.biases[owner]).astype(items.dtype)
        before = items[places]
        rows = before.copy()
        for step in range(steps):
            errors = targets - np.einsum("nd,nd->n", users, rows)
            errors *= in_batch(start, task.batch, step)
            rows += (rate * errors)[:, None].astype(items.dtype) * users
        return np.asarray(rows - before)
