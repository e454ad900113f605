"""Share of contributions that are clipped, which is known of simulated devices alone."""

from dataclasses import replace
from typing import Final

import numpy as np

from .algorithms import Algorithm, Examples, Shape, Shared, broadcast_of
from .data import Ratings
from .parameters import TrainingTask

# Devices that stand for all.
_DEVICES: Final = 200
# No contribution is so long.
_UNBOUNDED: Final = 1e5
# Tolerance of numbers of 32 bits.
_TOLERANCE: Final = 1e-4


def clipped_share(
    algorithm: Algorithm, task: TrainingTask, shape: Shape, shared: Shared, ratings: Ratings
) -> float | None:
    """Return the share of devices, of 200 spread evenly, whose contribution the aggregator would shorten."""
    everybody = np.flatnonzero(np.diff(ratings.offsets))
    chosen = everybody[:: max(1, len(everybody) // _DEVICES)][:_DEVICES].tolist()
    if not chosen:
        return None
    free = replace(task, clip_norm=_UNBOUNDED)
    clipped = 0
    for user in chosen:
        part = slice(ratings.offsets[user], ratings.offsets[user + 1])
        examples = Examples(ratings.items[part], ratings.values[part])
        whole = algorithm.contribution(free, broadcast_of(algorithm, shared, examples.items), examples)
        bounded = algorithm.clip(task, shape, whole)
        clipped += not np.allclose(whole.values, bounded.values, rtol=_TOLERANCE, atol=_TOLERANCE)
    return clipped / len(chosen)
