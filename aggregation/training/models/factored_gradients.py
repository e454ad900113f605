"""Gradients of factored models: each person's own parameters are solved for, and what is left moves the items."""

import numpy as np

from ...arrays import Array
from ..data import Features, Rated
from ..parameters import TrainingTask
from .factored import constant, solve_users, vector_norm


class FactoredGradients:
    """The loss is half the sum of squared errors of a person's ratings; u has the norm that it has in DPAM's sums.

    Attributes
    ----------
    parameter : str
        The name of the shared array that is trained.
    by_item : bool
        Whether its rows are items, so that a device changes those of its own items only; else all of it is one vector.
    rows : tuple of str
        Names of shared arrays of which devices need rows.
    """

    parameter = "items"
    by_item = True
    rows: tuple[str, ...] = ("items",)

    def initial(
        self, task: TrainingTask, items: int, features: Features | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Draw items at random."""
        vectors = rng.standard_normal((items, task.model.dimension))
        scale = 0.1 * task.span / vector_norm(task) / np.sqrt(task.model.dimension)
        return {"items": np.concatenate([np.zeros((items, 1)), scale * vectors], axis=1).astype(np.float32)}

    def size(self, task: TrainingTask, features: int) -> int:
        """Return the length of an item's row; of `features` features, for models that have them."""
        return 1 + task.model.dimension

    def learning_rate(self, task: TrainingTask, items: int) -> float:
        """Return a step that grows with the items, of which a person moves only few, and is shorter the more noise.

        As it is at ε = 4 it stays: steps half as long again were seen to run away, from one beginning in six.
        """
        return float(0.0125 * items * min(task.target_epsilon, 4.0) ** 0.62)

    def steps(self, task: TrainingTask, shared: dict[str, Array], rated: Rated, steps: int, rate: float) -> Array:
        """Return how far each device would move the row of each rating; shape (n, 1 + d).

        Parameters
        ----------
        task : TrainingTask
        shared : dict
            Shared arrays; rows in the order of the numbers of the ratings' places.
        rated : Rated
        steps : int
            How many steps are taken one after the other.
        rate : float
            The length of a step, in units of the negative gradient.
        """
        items = shared["items"]
        local, owner = solve_users(task, items, None, rated), rated.owners
        norms = np.linalg.norm(local.vectors, axis=1, keepdims=True)
        vectors = local.vectors * (vector_norm(task) / np.maximum(norms, np.finfo(items.dtype).tiny))
        constants = np.full((len(vectors), 1), constant(task))
        users = np.concatenate([constants, vectors], axis=1).astype(items.dtype)[owner]
        targets = (rated.values - task.middle - local.biases[owner]).astype(items.dtype)
        before = items[rated.places]
        rows = before.copy()
        for step in range(steps):
            errors = targets - np.einsum("nd,nd->n", users, rows)
            errors *= rated.in_batch(task.batch, step)
            rows += (rate * errors)[:, None].astype(items.dtype) * users
        return np.asarray(rows - before)
