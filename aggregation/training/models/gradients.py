"""The face of models that are trained by gradients."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Flags, Integers
from ..data import Features
from ..parameters import TrainingTask


class GradientModel(Protocol):
    """A model that devices improve by steps against the gradient of their own loss.

    Attributes
    ----------
    parameter : str
        The name of the shared array that is trained.
    by_item : bool
        Whether its rows are items, so that a device changes those of its own items only; else all of it is one vector.
    rows, whole : tuple of str
        Names of shared arrays of which devices need rows, or everything.
    """

    parameter: str
    by_item: bool
    rows: tuple[str, ...]
    whole: tuple[str, ...]

    def initial(
        self, task: TrainingTask, items: int, features: Features | None, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Return shared parameters to begin with."""

    def size(self, task: TrainingTask, features: int) -> int:
        """Return the length of a row, or of the whole vector."""

    def learning_rate(self, task: TrainingTask, items: int) -> float:
        """Return a step of the server that works at common sizes, for gradients as `steps` has them."""

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
        """Return how far each device would move the parameters.

        Parameters
        ----------
        task : TrainingTask
        shared : dict
            Shared arrays; rows in the order of `places`' numbers.
        places : ndarray of int, shape (n,)
            The row that each rating is of.
        offsets : ndarray of int64, shape (people + 1,)
            Where each person's ratings begin.
        values : ndarray, shape (n,)
            The ratings.
        steps : int
            How many steps are taken one after the other.
        rate : float
            The length of a step, in units of the negative gradient.

        Returns
        -------
        ndarray
            Of shape (n, size) by rating if `by_item`, else (people, size) by person.
        """


def in_batch(offsets: Integers, size: int, step: int) -> Flags:
    """Return which ratings a step uses: each person's in turn, `size` at a time and from the first again; 0 means all.

    Shape (n,).
    """
    counts = np.diff(offsets)
    if size == 0:
        return np.ones(offsets[-1] - offsets[0], np.bool_)
    owner = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(owner)) - (offsets[:-1] - offsets[0])[owner]
    return np.asarray((number - step * size) % counts[owner] < size)
