"""Splits of ratings into parts for training and for tests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..arrays import Integers
from .data import Ratings

TEST_SHARE: Final = 0.1
VALIDATION_SHARE: Final = 0.1


@dataclass(frozen=True, eq=False)
class Split:
    """Parts of ratings, under the same numbers.

    Parameters
    ----------
    train : Ratings
        What is learned from.
    validation : Ratings
        What parameters may be chosen by; no result is of it.
    known, hidden : Ratings
        What the people who are tested know of themselves on their device, and what is to be foretold.
    """

    train: Ratings
    validation: Ratings
    known: Ratings
    hidden: Ratings


def split_ratings(ratings: Ratings, rng: np.random.Generator) -> Split:
    """Divide each user's ratings by chance: 80 % to learn from, 10 % for validation, 10 % to test with."""
    rank, size = _ranks(ratings, rng)
    tested = rank < np.floor(size * TEST_SHARE + 0.5)
    validated = ~tested & (rank < np.floor(size * (TEST_SHARE + VALIDATION_SHARE) + 0.5))
    train = ratings.where(~tested & ~validated)
    return Split(train, ratings.where(validated), train, ratings.where(tested))


def split_users(ratings: Ratings, rng: np.random.Generator) -> Split:
    """Divide the users by chance: of 10 % who never train, half of the items are hidden; 10 % are for validation."""
    group = rng.permutation(len(ratings.user_names)) / len(ratings.user_names)
    tested = ratings.of_users(group < TEST_SHARE)
    rank, size = _ranks(tested, rng)
    hidden = rank < size // 2
    validation = ratings.of_users((group >= TEST_SHARE) & (group < TEST_SHARE + VALIDATION_SHARE))
    train = ratings.of_users(group >= TEST_SHARE + VALIDATION_SHARE)
    return Split(train, validation, tested.where(~hidden), tested.where(hidden))


def bounded(ratings: Ratings, most: int, rng: np.random.Generator) -> Ratings:
    """Return at most so many ratings of each user, chosen by chance."""
    if len(ratings) == 0 or np.diff(ratings.offsets).max() <= most:
        return ratings
    return ratings.where(_ranks(ratings, rng)[0] < most)


Draw = Callable[[int, int], Integers]
"""Draws so many numbers below a bound, each by itself."""


def with_unrated(ratings: Ratings, draw: Draw) -> Ratings:
    """Return rated items as 1, and for each user as many others at most, chosen by chance, as 0."""
    items = len(ratings.item_names)
    rated = ratings.users.astype(np.int64) * items + ratings.items
    drawn = np.unique(ratings.users.astype(np.int64) * items + draw(len(ratings), items))
    others = drawn[~np.isin(drawn, rated, assume_unique=True)]
    pairs = np.concatenate([rated, others])
    values = np.concatenate([np.ones(len(rated), np.float32), np.zeros(len(others), np.float32)])
    order = np.argsort(pairs)
    users, numbers = np.divmod(pairs[order], items)
    return Ratings(
        users.astype(np.int32), numbers.astype(np.int32), values[order], ratings.user_names, ratings.item_names
    )


def _ranks(ratings: Ratings, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Return each rating's place in an order of its user's ratings drawn by chance, and how many those are."""
    # Ratings are in the order of their users.
    order = np.argsort(ratings.users + rng.random(len(ratings)), kind="stable")
    rank = np.empty(len(ratings), np.int64)
    rank[order] = np.arange(len(ratings)) - ratings.offsets[ratings.users]
    return rank, np.diff(ratings.offsets)[ratings.users]
