"""DP-FTRL: noise on prefix sums of moves, by a binary tree, so that no privacy is claimed from sampling.

After t rounds the parameters are θ₀ + η·(noisy sum of the first t rounds' moves)/(expected participants). Each node of
a binary tree over rounds has noise of its own, and a prefix is made of few nodes. Honaker's estimate makes of each node
the best estimate that its own noise and that of all nodes below allow. Trees are as long as the minimum separation: a
person is in one leaf of each, and so in as many nodes as the tree is high.

What is released in a round is the sum with the *increment* of the prefix's noise. Any scheme of correlated noise has
that form (a banded matrix factorisation's increment is a combination of the last few rounds' noise): another one is
another `increment`.

References
----------
Kairouz et al., "Practical and private (deep) learning without sampling or shuffling", ICML 2021. Honaker, "Efficient
use of differentially private binary trees", 2015. Choquette-Choo et al., 2306.08153, for banded factorisations.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..accounting import calibrated, tree_epsilon
from ..noise import Noise
from ..parameters import TrainingTask
from ..plan import TrainingPlan
from .gradient import GRADIENT, DpSgd, given_noise, releases_of

Array = NDArray[Any]
_SEPARATION: Final = 16
_MEMORY: Final = "tree"
_PLACE: Final = "place of the tree"


@dataclass
class Tree:
    """Noise of the nodes that the present prefix is made of.

    Parameters
    ----------
    nodes : list of (int, ndarray)
        Heights, descending, and the noise of Honaker's estimate of each.
    """

    nodes: list[tuple[int, Array]]

    def prefix(self) -> Array | float:
        """Return the noise of the present prefix's sum."""
        return sum((each for _, each in self.nodes), 0.0)

    def grow(self, shape: tuple[int, ...], deviation: float, noise: Noise) -> None:
        """Take in a round: a leaf, and all nodes that it completes."""
        height, node = 0, noise.normal(shape, deviation)
        while self.nodes and self.nodes[-1][0] == height:
            _, left = self.nodes.pop()
            height += 1
            own = honaker_variance(height)
            node = own * noise.normal(shape, deviation) + (1 - own) * (left + node)
        self.nodes.append((height, node))


def honaker_variance(height: int) -> float:
    """Return the variance of the estimate of a node from itself and all below it, in units of a node's noise.

    It is also the weight of the node's own noisy sum: 1/(1 + 1/(2 v)), where v is that of each half.
    """
    variance = 1.0
    for _ in range(height):
        variance = 1 / (1 + 1 / (2 * variance))
    return variance


class DpFtrlTree(DpSgd):
    """Rounds of people who take part at most once in `minimum_separation` of them, in an order that is not secret."""

    def plan(self, task: TrainingTask) -> TrainingPlan:
        """Return the plan: each person is in one leaf of each tree."""
        return _planned(task)

    def separation(self, task: TrainingTask) -> int:
        """Return the length of a tree."""
        return separation(task)

    def participants(self, task: TrainingTask, number: int, people: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Divide the people once and for all into as many groups as the separation has rounds; each comes in turn."""
        length = separation(task)
        group = np.random.default_rng(length).permutation(people) % length
        return np.asarray(group == (number - 1) % length)

    def expected(self, task: TrainingTask) -> float:
        """Return how many are in a group."""
        return task.population / separation(task)

    def noise(
        self, task: TrainingTask, shape: tuple[int, ...], deviation: float, noise: Noise, number: int
    ) -> NDArray[np.float64]:
        """Return the increment of the prefix's noise; a tree that has come to its end is followed by a new one.

        A new one is begun, too, where the noise of earlier rounds is lost with the process that drew it. No person is
        in more nodes for that: within the separation each is in one leaf, of the lost tree or of the new one.
        """
        place = (number - 1) // separation(task)
        if noise.memory.get(_PLACE) != place:
            noise.memory |= {_PLACE: place, _MEMORY: Tree([])}
        tree = noise.memory[_MEMORY]
        before = tree.prefix()
        tree.grow(shape, deviation, noise)
        return np.asarray(tree.prefix() - before)


def separation(task: TrainingTask) -> int:
    """Return in how many rounds in a row a person takes part at most once."""
    return min(task.rounds, task.minimum_separation or _SEPARATION)


def nodes_of_one(task: TrainingTask, rounds: int) -> int:
    """Return the most nodes, of all trees over the first rounds, that one person is in."""
    whole, rest = divmod(rounds, separation(task))
    return whole * height(separation(task)) + (height(rest) if rest else 0)


def height(rounds: int) -> int:
    """Return in how many complete nodes of a tree over so many rounds a leaf is at most."""
    return int(math.log2(rounds)) + 1


@lru_cache(maxsize=64)
def _planned(task: TrainingTask) -> TrainingPlan:
    noise = given_noise(task)

    def cost(z: float, rounds: int) -> float:
        return tree_epsilon(z, nodes_of_one(task, rounds), 1, task.delta)

    if noise is None:
        noise = calibrated(lambda z: cost(z, task.rounds), task.target_epsilon)
    final = noise
    return TrainingPlan(
        {GRADIENT: final},
        cost(final, task.rounds),
        task.delta,
        task.rounds,
        None,
        releases_of(task, final),
        lambda number: cost(final, number),
    )
