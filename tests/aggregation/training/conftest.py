"""Small invented ratings and tasks."""

from typing import Any

import numpy as np
import pytest

from aggregation.training import Features, Ratings, TrainingTask, make_ratings

PEOPLE, ITEMS, DIMENSION = 120, 40, 3


def invented(people: int, items: int, seed: int, *, mean: int = 12) -> tuple[Ratings, Features]:
    """Ratings of a factored model, rounded, whose items are partly what two features say."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((items, 2)).astype(np.float32)
    tastes = rng.standard_normal((people, 2))
    chosen = rng.random((people, items)) < mean / items
    chosen[:, 0] = True
    users, places = np.nonzero(chosen)
    values = 3.3 + 0.6 * np.sum(tastes[users] * features[places], axis=1) + 0.5 * rng.standard_normal(len(users))
    values = np.clip(np.round(values), 1, 5)
    ratings = make_ratings(
        users.astype(np.int32),
        places.astype(np.int32),
        values.astype(np.float32),
        [f"u{number}" for number in range(people)],
        [f"i{number}" for number in range(items)],
    )
    return ratings, Features(features, ["one", "two"])


def task_of(**changes: Any) -> TrainingTask:
    """A task as a file has it."""
    return TrainingTask.from_mapping(
        {
            "slug": "films",
            "title": "Films",
            "population": 1000,
            "model": {"kind": "factored", "dimension": DIMENSION},
            "algorithm": "dpam",
            "rounds": 3,
            "target_epsilon": 4,
            "delta": 1e-5,
            "rating_range": [1, 5],
            "items_per_user": ITEMS,
        }
        | changes
    )


@pytest.fixture(scope="session")
def ratings() -> Ratings:
    return invented(PEOPLE, ITEMS, 1)[0]


@pytest.fixture(scope="session")
def features() -> Features:
    return invented(PEOPLE, ITEMS, 1)[1]
