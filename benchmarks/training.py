"""Cost of a step of DPAM, beside its linear algebra alone: `make benchmark-training`.

The floor is one alternation over the same ratings as a program without roles, clipping, weights or noise has it: every
person's and every item's normal equations from rows, and their solution. Both are measured in this process, in turn.
"""

import os
import resource
import sys
import time
from collections.abc import Callable

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray

from aggregation.training import (
    Noise,
    Ratings,
    Shape,
    Shared,
    Sums,
    TrainingTask,
    algorithm_for,
)

# People, items, ratings, and the seconds and gigabytes that a step may take.
SIZES = {"demo": (20_000, 2_000, 1_000_000, 6, 4), "movielens-10m": (70_000, 10_000, 10_000_000, 90, 4)}
DIMENSION = 32
RATIO = 3


def random_ratings(people: int, items: int, count: int) -> Ratings:
    """Return ratings of random pairs: popular items as often as a power of their rank says."""
    rng = np.random.default_rng(1)
    users = np.sort(rng.integers(0, people, count, np.int32))
    places = (items * rng.random(count) ** 2).astype(np.int32)
    order = np.lexsort((places, users))
    values = rng.integers(1, 6, count).astype(np.float32)
    return Ratings(users, places[order], values, [""] * people, [""] * items)


def step(task: TrainingTask, ratings: Ratings, shared: Shared) -> Shared:
    """Do a round as it is released."""
    algorithm = algorithm_for(task)
    sums: Sums = algorithm.batch(task, shared, ratings)
    return algorithm.update(task, shared, algorithm.releases(task, sums, Noise(1), 1))


def solved(
    rows: NDArray[np.float32], places: NDArray[np.int32], offsets: NDArray[np.int64], values: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Solve a ridge problem of each segment."""
    d = rows.shape[1]
    left, right = np.empty((len(offsets) - 1, d, d), np.float32), np.empty((len(offsets) - 1, d), np.float32)
    bounds = offsets.tolist()
    for number in range(len(bounds) - 1):
        part = slice(bounds[number], bounds[number + 1])
        x = rows[places[part]]
        left[number], right[number] = x.T @ x, values[part] @ x
    left += np.eye(d, dtype=np.float32)
    return np.asarray(np.linalg.solve(left, right[..., None])[..., 0])


def plain(ratings: Ratings, items: NDArray[np.float32]) -> NDArray[np.float32]:
    """Alternate once, over people and over items."""
    users = solved(items, ratings.items, ratings.offsets, ratings.values)
    order = ratings.by_item
    return solved(users, ratings.users[order], ratings.item_offsets, ratings.values[order])


def seconds(function: Callable[[], object]) -> float:
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def measure(name: str) -> bool:
    """Measure a size, and print it; returns whether all limits are kept."""
    people, items, count, most, gigabytes = SIZES[name]
    ratings = random_ratings(people, items, count)
    task = TrainingTask.from_mapping(
        {
            "slug": name, "title": name, "population": people, "algorithm": "dpam", "rounds": 4,
            "model": {"kind": "factored", "dimension": DIMENSION}, "target_epsilon": 4, "delta": 1e-6,
            "rating_range": [1, 5], "items_per_user": 1000,
        }
    )  # fmt: skip
    algorithm_for(task).plan(task)
    shared = algorithm_for(task).initial(task, Shape(items), np.random.default_rng(1))
    # Orders and offsets of ratings are found once a task.
    rows = plain(ratings, shared["items"])
    # In turn, twice, because the machine may be slow for a while.
    pairs = [(seconds(lambda: step(task, ratings, shared)), seconds(lambda: plain(ratings, rows))) for _ in range(2)]
    took, floor = (min(times) for times in zip(*pairs, strict=True))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    is_kept = took <= most and peak <= gigabytes and took / floor <= RATIO
    print(
        f"{name}: a step of {took:.2f} s (≤ {most}), {took / floor:.2f} (≤ {RATIO}) times the same linear algebra"
        f" alone ({floor:.2f} s), peak {peak:.2f} GB (≤ {gigabytes}): {'kept' if is_kept else 'NOT kept'}",
        flush=True,
    )
    return is_kept


def main() -> None:
    kept = [measure(name) for name in sys.argv[1:] or SIZES]
    sys.exit(not all(kept))


if __name__ == "__main__":
    main()
