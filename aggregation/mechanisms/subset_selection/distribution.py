"""The exact distribution of support counts: their moments, and draws without a single report."""

from collections.abc import Sequence

import numpy as np

from ...arrays import Array, Floats, Integers, Places
from .mechanism import SubsetSelection


def hits(mechanism: SubsetSelection, points: Array, chosen: Places) -> Floats:
    """Return 1 where an element is the chosen one, shape (T, D): nothing collides."""
    same: Floats = (points[chosen][:, None] == points).astype(np.float64)
    return same


def moments(mechanism: SubsetSelection, hit: Floats, counts: Integers) -> tuple[Floats, Floats]:
    """Return mean and variance of the read-outs S(d) of the chosen elements, shape (T,).

    Each report has d in its subset with probability p if it is about d, else q.
    """
    q = mechanism.debiased.foreign
    chance = q + (mechanism.own - q) * hit
    return chance @ counts, (chance * (1 - chance)) @ counts


def draw(mechanism: SubsetSelection, points: Array, counts: Integers, rngs: Sequence[np.random.Generator]) -> Integers:
    """Draw support counts of several populations.

    Notes
    -----
    Elements are decided on one after the other. Of reports that still have r of L others to choose, each chooses the
    next with probability r/L, so only their numbers by r are kept. The own element is no other: how many are left to a
    report depends on whether it came already, and which of the waiting reports it comes to next is hypergeometric.
    """
    found = np.empty_like(counts)
    for population, rng, own in zip(counts, rngs, found, strict=True):
        of_all = np.zeros(mechanism.size, np.int64)
        of_all[points] = population
        own[:] = _draw(mechanism, of_all, rng)[points]
    return found


def draw_seconds(mechanism: SubsetSelection, n: int, dictionary_size: int) -> float:
    """Return about how long drawing a population takes one core, of several that share it."""
    return dictionary_size * (6e-5 + 4e-7 * mechanism.w)


def hash_seconds(mechanism: SubsetSelection, dictionary_size: int) -> float:
    return 0.0  # nothing is hashed


def _draw(mechanism: SubsetSelection, counts: Integers, rng: np.random.Generator) -> Integers:
    w, size = mechanism.w, mechanism.size
    kept = rng.binomial(counts, mechanism.own)
    owners = np.stack([kept, counts - kept])
    # By how many others are to be chosen: reports with their own element and without, whose own is still to come.
    waiting, passed = np.zeros((2, w + 1), np.int64), np.zeros(w + 1, np.int64)
    waiting[0, w - 1], waiting[1, w] = owners.sum(axis=1)
    support = kept.copy()
    for place in range(size):
        leaving = np.stack(
            [
                rng.multivariate_hypergeometric(reports, of, method="marginals")
                for reports, of in zip(waiting, owners[:, place], strict=True)
            ]
        )
        waiting -= leaving
        for choosing, left in ((waiting, size - place - 1), (passed, size - place)):
            if left:
                chosen = rng.binomial(choosing, np.minimum(np.arange(w + 1) / left, 1.0))
                np.subtract(choosing, chosen, out=choosing)
                choosing[..., :-1] += chosen[..., 1:]
                support[place] += chosen.sum()
        passed += leaving.sum(axis=0)
    return support
