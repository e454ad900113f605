"""Steps of training as single devices do them."""

import numpy as np

from aggregation.training import (
    Contribution,
    Examples,
    Ratings,
    Shape,
    Shared,
    Sums,
    TrainingTask,
    algorithm_for,
    broadcast_of,
    rows_needed,
)


def in_double(shared: Shared) -> Shared:
    """Parameters in double precision."""
    return {name: array.astype(np.float64) for name, array in shared.items()}


def contributions(task: TrainingTask, shared: Shared, ratings: Ratings) -> list[Contribution]:
    """Return the contribution of each user's device that has ratings."""
    algorithm = algorithm_for(task)
    found = []
    for start, end in zip(ratings.offsets, ratings.offsets[1:], strict=False):
        if start < end:
            examples = Examples(ratings.items[start:end], ratings.values[start:end])
            broadcast = broadcast_of(algorithm, shared, rows_needed(examples))
            found.append(algorithm.contribution(task, broadcast, examples))
    return found


def by_devices(task: TrainingTask, shared: Shared, ratings: Ratings, shape: Shape) -> Sums:
    """Sums of the contributions of all devices, clipped by the aggregator."""
    algorithm = algorithm_for(task)
    sums = algorithm.sums(task, shape)
    for contribution in contributions(task, shared, ratings):
        algorithm.add(task, sums, algorithm.clip(task, shape, contribution))
    return sums
