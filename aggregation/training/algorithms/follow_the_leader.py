"""DP-FTRL: noise that is correlated over rounds, so that no privacy is claimed from sampling.

After t rounds the parameters are θ₀ + η·(noisy sum of the first t rounds' moves)/(expected participants). What is
released in a round is the sum of its moves with the increment of the prefix's noise, so that much of one round's noise
is taken back in later ones. Schemes differ in that increment, and in what one person adds to all that has noise of its
own: a binary tree (`binary_tree`), or a banded factorisation of prefix sums (`banded`).

People come in an order that is not secret, at most once in `minimum_separation` rounds.

References
----------
Kairouz et al., "Practical and private (deep) learning without sampling or shuffling", ICML 2021.
"""

import math
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import Final

import numpy as np

from ...arrays import Flags, Floats
from ..accounting import calibrated, gaussian_epsilon
from ..noise import Noise
from ..parameters import TrainingTask
from ..plan import TrainingPlan
from .gradient import GRADIENT, DpSgd, given_noise, releases_of

_SEPARATION: Final = 16


class FollowTheLeader(DpSgd, ABC):
    """Rounds of people who take part at most once in `minimum_separation` of them, in an order that is not secret."""

    @abstractmethod
    def squared_sensitivity(self, task: TrainingTask, rounds: int) -> float:
        """Return the square of what one person adds to all that has noise in the first rounds, in clip norms."""

    @abstractmethod
    def noise(self, task: TrainingTask, shape: tuple[int, ...], deviation: float, noise: Noise, number: int) -> Floats:
        """Return the increment of the prefix's noise, whatever became of the noise of earlier rounds."""

    def plan(self, task: TrainingTask) -> TrainingPlan:
        """Return the plan: together, all that a person adds to is one Gaussian release."""
        return _planned(self, task)

    def separation(self, task: TrainingTask) -> int:
        """Return in how many rounds in a row a person takes part at most once."""
        return separation(task)

    def participants(self, task: TrainingTask, number: int, people: int, rng: np.random.Generator) -> Flags:
        """Divide the people once and for all into as many groups as the separation has rounds; each comes in turn."""
        length = separation(task)
        group = np.random.default_rng(length).permutation(people) % length
        return np.asarray(group == (number - 1) % length)

    def expected(self, task: TrainingTask) -> float:
        """Return how many are in a group."""
        return task.population / separation(task)


def separation(task: TrainingTask) -> int:
    """Return in how many rounds in a row a person takes part at most once."""
    return min(task.rounds, task.minimum_separation or _SEPARATION)


@lru_cache(maxsize=64)
def _planned(algorithm: FollowTheLeader, task: TrainingTask) -> TrainingPlan:
    def cost(z: float, rounds: int) -> float:
        return gaussian_epsilon(z / math.sqrt(algorithm.squared_sensitivity(task, rounds)), task.delta)

    given = given_noise(task)
    noise = calibrated(lambda z: cost(z, task.rounds), task.target_epsilon) if given is None else given
    return TrainingPlan(
        {GRADIENT: noise},
        cost(noise, task.rounds),
        task.delta,
        task.rounds,
        None,
        releases_of(task, noise),
        lambda number: cost(noise, number),
    )
