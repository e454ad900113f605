"""DP-FTRL by a binary tree: each node has noise of its own, and a prefix is made of few nodes.

Honaker's estimate makes of each node the best estimate that its own noise and that of all nodes below allow. Trees are
as long as the minimum separation: a person is in one leaf of each, and so in as many nodes as the tree is high.

References
----------
Kairouz et al., "Practical and private (deep) learning without sampling or shuffling", ICML 2021. Honaker, "Efficient
use of differentially private binary trees", 2015.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...arrays import Array, Floats
from ..noise import Noise
from ..parameters import TrainingTask
from .follow_the_leader import FollowTheLeader, separation

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


class DpFtrlTree(FollowTheLeader):
    """DP-FTRL whose noise is that of binary trees."""

    def squared_sensitivity(self, task: TrainingTask, rounds: int) -> float:
        """Return in how many nodes, of all trees over the first rounds, a person is at most."""
        whole, rest = divmod(rounds, separation(task))
        return whole * height(separation(task)) + (height(rest) if rest else 0)

    def noise(self, task: TrainingTask, shape: tuple[int, ...], deviation: float, noise: Noise, number: int) -> Floats:
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


def height(rounds: int) -> int:
    """Return in how many complete nodes of a tree over so many rounds a leaf is at most."""
    return int(math.log2(rounds)) + 1
