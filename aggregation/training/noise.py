"""Gaussian noise for releases. Here alone is decided where it comes from."""

from typing import Any

import numpy as np

from ..arrays import Floats
from ..randomness import system_normals


class Noise:
    """A source of Gaussian noise: the operating system's generator, or, in a simulation, a seeded one.

    Parameters
    ----------
    seed : int or list of int, optional
        Of a simulation. Without it, noise is the operating system's, as everything real must have it.
    off : bool
        Whether there is none at all, which makes of each algorithm the plain one.

    Attributes
    ----------
    memory : dict
        What an algorithm keeps from one release to the next, such as the noise of a tree's nodes. It is as secret as
        contributions, and stays where the noise is drawn.
    """

    def __init__(self, seed: int | list[int] | None = None, *, off: bool = False) -> None:
        self._rng = None if seed is None else np.random.default_rng(seed)
        self.off = off
        self.memory: dict[str, Any] = {}

    def normal(self, shape: tuple[int, ...], standard_deviation: float) -> Floats:
        """Draw independent Gaussian noise of mean 0; zeros if noise is off."""
        if self.off or standard_deviation == 0:
            return np.zeros(shape)
        count = int(np.prod(shape))
        drawn = system_normals(count) if self._rng is None else self._rng.standard_normal(count)
        return standard_deviation * drawn.reshape(shape)

    def symmetric(self, shape: tuple[int, ...], standard_deviation: float) -> Floats:
        """Draw symmetric matrices, in the last two axes, of noise that is the same in every direction.

        An entry off the diagonal stands twice in the Frobenius norm, so that its standard deviation is less by √2:
        together the entries are isotropic Gaussian noise in the space of symmetric matrices.
        """
        drawn = self.normal(shape, standard_deviation)
        return (drawn + np.swapaxes(drawn, -1, -2)) / 2
