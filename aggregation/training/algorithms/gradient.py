"""Algorithms that add up clipped moves of devices: DP-SGD (FedSGD), DP-FedAvg.

θ ← θ + η (Σ clip_C(m) + N(0, z²C²)) / (expected participants), where m is a device's move: one step against its
gradient (DP-SGD), or several (DP-FedAvg). Each person takes part in a round with the sampling rate's chance, by
themselves (Poisson sampling), and who did is not published.

References
----------
Abadi et al., "Deep learning with differential privacy", CCS 2016. McMahan et al., "Learning differentially private
recurrent language models", ICLR 2018.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from ...arrays import Array, Flags, Floats
from ..accounting import gaussian_epsilon, sampled_epsilon, sampled_epsilons, sampled_noise
from ..data import Rated, Ratings
from ..models import gradient_model_for
from ..noise import Noise
from ..parameters import TrainingTask
from ..plan import PlannedRelease, TrainingPlan
from .base import Contribution, Examples, Release, Shape, Shared, Sums, checked_items, padded

GRADIENT: Final = "gradient"
_CLIP_NORM: Final = 1.0
# A device's own steps, in units of its gradient, where it takes several.
_LOCAL_RATE: Final = 0.1


class DpSgd:
    """Sampled people, one step each, or several if the algorithm is FedAvg; the model is any with a gradient."""

    rows: tuple[str, ...] = ("items", "features")
    whole: tuple[str, ...] = ("coefficients",)

    def plan(self, task: TrainingTask) -> TrainingPlan:
        """Return the plan: Gaussian releases over Poisson samples."""
        return _planned(task)

    def initial(self, task: TrainingTask, shape: Shape, rng: np.random.Generator) -> Shared:
        """Return the model's first parameters."""
        return gradient_model_for(task).initial(task, shape.items, shape.features, rng)

    def separation(self, task: TrainingTask) -> int:
        """Return 1 unless the task wants more: the plan counts on everybody in every round."""
        return task.minimum_separation or 1

    def participants(self, task: TrainingTask, number: int, people: int, rng: np.random.Generator) -> Flags:
        """Draw each person by themselves."""
        return rng.random(people) < task.sampling_rate

    def expected(self, task: TrainingTask) -> float:
        """Return how many take part in a round on average: public, as the population is."""
        return task.sampling_rate * task.population

    def moves(self, task: TrainingTask, shared: Shared, rated: Rated) -> Array:
        """Return clipped moves of people, by rating or by person as the model has them."""
        model = gradient_model_for(task)
        averaged = task.algorithm == "dp_fedavg"
        steps = task.local_steps if averaged else 1
        rate = (task.learning_rate or _LOCAL_RATE) if averaged else 1.0
        moves = model.steps(task, shared, rated, steps, rate)
        squares = np.einsum("nd,nd->n", moves, moves)
        owner = np.arange(len(moves))
        if model.by_item:
            owner = rated.owners
            squares = np.bincount(owner, squares, len(rated.offsets) - 1)
        scale = np.minimum(1, clip_norm(task) / np.sqrt(np.maximum(squares, 1e-30)))
        return np.asarray(moves * scale[owner, None].astype(moves.dtype))

    def contribution(self, task: TrainingTask, broadcast: Shared, examples: Examples) -> Contribution:
        """Return the clipped move, row after row."""
        count = len(examples.items)
        if count > task.items_per_user:
            raise ValueError(f"A person contributes to at most {task.items_per_user} items, not {count}.")
        moves = self.moves(task, broadcast, Rated(np.arange(count), np.array([0, count]), examples.values))
        if not gradient_model_for(task).by_item:
            return Contribution(padded(examples.items[:0], 0), moves[0])
        values = np.zeros(task.items_per_user * moves.shape[1], moves.dtype)
        values[: moves.size] = moves.ravel()
        return Contribution(padded(examples.items, task.items_per_user), values)

    def lengths(self, task: TrainingTask, shape: Shape) -> tuple[int, int]:
        """Return the items of a person and the numbers of their rows; or none, and the numbers of one vector."""
        length = task.items_per_user if gradient_model_for(task).by_item else 0
        return length, max(length, 1) * self._size(task, shape)

    def clip(self, task: TrainingTask, shape: Shape, contribution: Contribution) -> Contribution:
        """Shorten the whole move to the clip norm; padding is emptied."""
        by_item, size = gradient_model_for(task).by_item, self._size(task, shape)
        used = len(checked_items(contribution, shape.items, self.lengths(task, shape)))
        values = contribution.values.astype(np.float64)
        if by_item:
            values[used * size :] = 0
        norm = max(float(np.linalg.norm(values)), 1e-300)
        return Contribution(contribution.items, values * min(1.0, clip_norm(task) / norm))

    def _size(self, task: TrainingTask, shape: Shape) -> int:
        features = 0 if shape.features is None else len(shape.features.names)
        return gradient_model_for(task).size(task, features)

    def sums(self, task: TrainingTask, shape: Shape) -> Sums:
        """Return the sum of no moves."""
        size = self._size(task, shape)
        return {GRADIENT: np.zeros((shape.items, size) if gradient_model_for(task).by_item else size)}

    def add(self, task: TrainingTask, sums: Sums, contribution: Contribution) -> None:
        """Add a move."""
        if not gradient_model_for(task).by_item:
            sums[GRADIENT] += contribution.values
            return
        used = contribution.items[contribution.items >= 0]
        size = sums[GRADIENT].shape[1]
        sums[GRADIENT][used] += contribution.values[: len(used) * size].reshape(len(used), size)

    def batch(self, task: TrainingTask, shared: Shared, ratings: Ratings) -> Sums:
        """Return the sum of clipped moves of all users with ratings."""
        model = gradient_model_for(task)
        counts = np.diff(ratings.offsets)
        offsets = np.concatenate([[0], np.cumsum(counts[counts > 0])])
        moves = self.moves(task, shared, ratings.rated._replace(offsets=offsets))
        if not model.by_item:
            return {GRADIENT: moves.sum(axis=0, dtype=np.float64)}
        items = len(ratings.item_names)
        columns = [np.bincount(ratings.items, column, items) for column in moves.T]
        return {GRADIENT: np.stack(columns, axis=1).astype(np.float64)}

    def releases(self, task: TrainingTask, sums: Sums, noise: Noise, number: int) -> list[Release]:
        """Release the sum of moves."""
        planned = self.plan(task).release(GRADIENT, number)
        deviation = 0.0 if noise.off else planned.noise_standard_deviation
        array = sums[GRADIENT] + self.noise(task, sums[GRADIENT].shape, deviation, noise, number)
        return [Release(GRADIENT, number, planned.sensitivity, deviation, array)]

    def noise(self, task: TrainingTask, shape: tuple[int, ...], deviation: float, noise: Noise, number: int) -> Floats:
        """Return the noise of a round's release."""
        return noise.normal(shape, deviation)

    def update(self, task: TrainingTask, shared: Shared, releases: Sequence[Release]) -> Shared:
        """Move the parameters by the mean move; λ draws them to 0."""
        model = gradient_model_for(task)
        before = shared[model.parameter]
        rate = task.server_learning_rate or model.learning_rate(task, len(shared[model.rows[0]]))
        move = releases[0].array / self.expected(task) - (task.regularization or 0.0) * before
        return shared | {model.parameter: (before + rate * move).astype(before.dtype)}


@lru_cache(maxsize=64)
def _planned(task: TrainingTask) -> TrainingPlan:
    rate, rounds, delta = task.sampling_rate, task.rounds, task.delta
    noise = given_noise(task)
    if noise is None:
        noise = sampled_noise(task.target_epsilon, rate, rounds, delta)
    epsilon = sampled_epsilon(noise, rate, rounds, delta)
    return TrainingPlan(
        {GRADIENT: noise},
        epsilon,
        delta,
        rounds,
        rate,
        releases_of(task, noise),
        lambda number: sampled_epsilons(noise, rate, rounds, delta)[number - 1],
        gaussian_epsilon(noise / math.sqrt(rounds), delta),
    )


def clip_norm(task: TrainingTask) -> float:
    """Return C, the most that one person moves a sum by."""
    return task.clip_norm or _CLIP_NORM


def given_noise(task: TrainingTask) -> float | None:
    """Return the noise multiplier that a task has, if it has one."""
    given = task.noise_multiplier
    return dict(given)[GRADIENT] if isinstance(given, tuple) else given


def releases_of(task: TrainingTask, noise: float) -> tuple[PlannedRelease, ...]:
    """Return one release of moves a round."""
    norm = clip_norm(task)
    return tuple(PlannedRelease(GRADIENT, number, norm, noise * norm) for number in range(1, task.rounds + 1))
