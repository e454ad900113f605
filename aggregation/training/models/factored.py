"""The factored model: a person's local parameters, solved for on the device, and what they foretell.

A rating is foretold as `middle + bias + c·v₀ + ⟨u, v⟩`: the bias and u are the person's own and never leave the device;
v₀ and v are an item's row of the published table; c is the constant part of what describes a person in sums.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..data import Rated, Ratings
from ..least_squares import normal_equations
from ..parameters import TrainingTask

# The constant's part of Γ², and how much less it is for each doubling of ε: with little privacy to spend, how well an
# item is rated by all is most of what can be learned.
_CONSTANT_SHARE: Final = 0.8
_CONSTANT_FALL: Final = 0.13
_CONSTANT_RANGE: Final = (0.4, 0.8)
# Assumptions about people and their ratings, in units of the square of the distance between the extreme ratings: the
# variance of a rating about what the model foretells, and that of people's biases.
RATING_VARIANCE: Final = 0.04
BIAS_VARIANCE: Final = 1 / 64
_RIDGE_FOR_NOISE: Final = 1.6
# People whose equations are solved at once.
_BLOCK: Final = 8192


@dataclass(frozen=True, eq=False)
class LocalParameters:
    """Local parameters of people: biases of shape (n,), and vectors of shape (n, dimension)."""

    biases: Array
    vectors: Array


def constant_share(task: TrainingTask) -> float:
    """Return how Γ² is divided between the constant and u: the constant's part."""
    low, high = _CONSTANT_RANGE
    return min(high, max(low, _CONSTANT_SHARE - _CONSTANT_FALL * math.log2(task.target_epsilon)))


def constant(task: TrainingTask) -> float:
    """Return c."""
    return task.user_norm * math.sqrt(constant_share(task))


def vector_norm(task: TrainingTask) -> float:
    """Return the norm of u in sums, so that ‖(c, u)‖ = Γ."""
    return task.user_norm * math.sqrt(1 - constant_share(task))


def rating_variance(task: TrainingTask) -> float:
    """Return the variance that ratings are assumed to have about what the model foretells."""
    return RATING_VARIANCE * task.span**2


def user_precision(task: TrainingTask) -> float:
    """Return the ridge of u: the rating's variance over that of u in each of its dimensions, and more for v's noise."""
    return _RIDGE_FOR_NOISE * rating_variance(task) * task.model.dimension / vector_norm(task) ** 2


def item_gramian(items: Array) -> Array:
    """Return Σ v vᵀ over all items, which a model of choices has in every person's equations; shape (1 + d, 1 + d)."""
    exact = items.astype(np.float64)
    return np.asarray(exact.T @ exact)


def solve_users(task: TrainingTask, items: Array, gramian: Array | None, rated: Rated) -> LocalParameters:
    """Solve each person's ridge problem exactly.

    Parameters
    ----------
    task : TrainingTask
    items : ndarray, shape (m, 1 + d)
        Rows of items.
    gramian : ndarray, shape (1 + d, 1 + d), or None
        Of all items; for models of choices.
    rated : Rated

    Notes
    -----
    Of ratings, the bias is solved for together with u. In a model of choices (α₀ > 0) there is no bias, and every item
    counts as 0 with weight α₀: Σ (1 - c·v₀ - ⟨u, v⟩)² + α₀ Σ_all (c·v₀ + ⟨u, v⟩)² + λ‖u‖².
    """
    places, offsets, values = rated
    people, d = len(offsets) - 1, task.model.dimension
    c, dtype = constant(task), items.dtype
    columns = items.copy()
    columns[:, 0] = 1
    targets = (values - task.middle - c * items[places, 0]).astype(dtype)
    ridge = np.full(1 + d, user_precision(task), dtype)
    ridge[0] = RATING_VARIANCE / BIAS_VARIANCE
    solved = np.zeros((people, 1 + d), dtype)
    first = int(task.is_implicit)
    if first:
        columns, ridge = items[:, 1:], ridge[1:]
    for start in range(0, people, _BLOCK):
        part = offsets[start : start + _BLOCK + 1]
        mine = slice(part[0], part[-1])
        left, right = normal_equations(columns, places[mine], part - part[0], targets[mine])
        left += np.diag(ridge)
        if first and gramian is not None and task.implicit_weight:
            left += (task.implicit_weight * gramian[1:, 1:]).astype(dtype)
            right -= (task.implicit_weight * c * gramian[1:, 0]).astype(dtype)
        solved[start : start + len(part) - 1, first:] = np.linalg.solve(left, right[..., None])[..., 0]
    return LocalParameters(solved[:, 0], solved[:, 1:])


def local_parameters(task: TrainingTask, items: Array, ratings: Ratings) -> LocalParameters:
    """Solve for everybody who has ratings; others have zeros."""
    gramian = item_gramian(items) if task.is_implicit else None
    return solve_users(task, items, gramian, ratings.rated)


def foretold(
    task: TrainingTask, items: Array, local: LocalParameters, users: NDArray[np.integer], places: NDArray[np.integer]
) -> Array:
    """Return the ratings that the model foretells for pairs of a user and an item; shape (n,)."""
    # In blocks, so that the rows of a million pairs never lie in memory together.
    found = np.empty(len(users), items.dtype)
    for start in range(0, len(users), _BLOCK * 8):
        part = slice(start, start + _BLOCK * 8)
        rows, mine = items[places[part]], users[part]
        products = np.einsum("nd,nd->n", local.vectors[mine], rows[:, 1:])
        found[part] = task.middle + local.biases[mine] + constant(task) * rows[:, 0] + products
    return found


def scores(task: TrainingTask, items: Array, local: LocalParameters, users: NDArray[np.integer]) -> Array:
    """Return what the model foretells of all items for some users, but for what is the same for all items."""
    return np.asarray(constant(task) * items[:, 0] + local.vectors[users] @ items[:, 1:].T)
