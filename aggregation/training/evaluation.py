"""Exact errors of a simulated model, on what was held out."""

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Integers
from .data import Features, Ratings
from .splits import Split

TOP: Final = 20
# Scores of so many people lie in memory at once.
_BLOCK: Final = 1024
# Ratings that an item's mean, or a feature's weight, is drawn to the middle by.
_PSEUDO_RATINGS: Final = 5.0

# Foretells the ratings of pairs of users and items; scores all items for users.
Foretell = Callable[[NDArray[np.integer], NDArray[np.integer]], Array]
Score = Callable[[NDArray[np.integer]], Array]


def rmse(foretell: Foretell, hidden: Ratings, rating_range: tuple[float, float]) -> float | None:
    """Return the root of the mean squared error of what is foretold, within the range of ratings."""
    if len(hidden) == 0:
        return None
    found = np.clip(foretell(hidden.users, hidden.items), *rating_range)
    return float(np.sqrt(np.mean((found.astype(np.float64) - hidden.values) ** 2)))


def rmse_error(found: Array, hidden: Ratings, rating_range: tuple[float, float]) -> float | None:
    """Return the standard error of `rmse` over people, whose own ratings err alike; None of fewer than two.

    Notes
    -----
    The mean squared error is a ratio of sums over people, whose variance is that of the linearised ratio; that of a
    root is half as large, relatively.
    """
    people = np.bincount(hidden.users)
    count = int(np.count_nonzero(people))
    if count < 2:
        return None
    squares = (np.clip(found, *rating_range).astype(np.float64) - hidden.values) ** 2
    mean = float(squares.mean())
    rests = np.bincount(hidden.users, squares) - mean * people
    error = math.sqrt(count / (count - 1) * float(rests @ rests)) / len(hidden)
    return error / (2 * math.sqrt(mean)) if mean > 0 else 0.0


def recall(score: Score, known: Ratings, hidden: Ratings, *, most: int | None = None) -> float | None:
    """Return the mean of `recalls`. With `most`, the first so many people stand for all."""
    return recall_and_error(score, known, hidden, most=most)[0]


def recall_and_error(
    score: Score, known: Ratings, hidden: Ratings, *, most: int | None = None
) -> tuple[float | None, float | None]:
    """Return the mean of `recalls`, and its standard error over people; None of fewer than one, and than two."""
    found = recalls(score, known, hidden, most=most)
    error = float(np.std(found, ddof=1)) / math.sqrt(len(found)) if len(found) > 1 else None
    return float(np.mean(found)) if len(found) else None, error


def recalls(score: Score, known: Ratings, hidden: Ratings, *, most: int | None = None) -> Array:
    """Return recall among the first 20 of a ranking of items that a person has not named, of people with hidden items.

    It is the number of hidden items among the first 20, over the smaller of 20 and all hidden items.
    """
    users = np.flatnonzero(np.diff(hidden.offsets))[:most]
    found: list[Array] = [np.empty(0)]
    for start in range(0, len(users), _BLOCK):
        chosen = users[start : start + _BLOCK]
        ranked = np.array(score(chosen), dtype=np.float64)
        rows, items = _pairs(known, chosen)
        ranked[rows, items] = -np.inf
        first = np.argpartition(-ranked, min(TOP, ranked.shape[1] - 1), axis=1)[:, :TOP]
        wanted = np.zeros(ranked.shape, np.bool_)
        wanted[_pairs(hidden, chosen)] = True
        hits = np.take_along_axis(wanted, first, axis=1).sum(axis=1)
        found.append(hits / np.minimum(TOP, wanted.sum(axis=1)))
    return np.concatenate(found)


def _pairs(ratings: Ratings, users: NDArray[np.integer]) -> tuple[Integers, NDArray[np.int32]]:
    """Return the ratings of ascending users as places: rows, counted among these users, and items."""
    row_of = np.full(len(ratings.user_names), -1)
    row_of[users] = np.arange(len(users))
    rows = row_of[ratings.users]
    return rows[rows >= 0], ratings.items[rows >= 0]


def accuracy(foretold: Array, values: Array, threshold: float) -> float:
    """Return the share of ratings that are foretold on the right side of a threshold."""
    return float(np.mean((foretold > threshold) == (values > threshold)))


def auc(foretold: Array, values: Array, threshold: float) -> float | None:
    """Return the chance that of two ratings on either side of a threshold the higher one is foretold to be higher."""
    above = values > threshold
    positives = int(above.sum())
    if positives in {0, len(above)}:
        return None
    _, inverse, counts = np.unique(foretold, return_inverse=True, return_counts=True)
    # Predictions that are equal share the mean of their ranks.
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    total = float(ranks[above].sum()) - positives * (positives + 1) / 2
    return total / (positives * (len(above) - positives))


def log_loss(probabilities: Array, values: Array, threshold: float) -> float:
    """Return the mean of -log of the probability given to the side of a threshold that a rating is on."""
    likely = np.clip(np.where(values > threshold, probabilities, 1 - probabilities), 1e-15, 1)
    return float(-np.mean(np.log(likely)))


def rating_baselines(split: Split, features: Features | None, rating_range: tuple[float, float]) -> dict[str, Any]:
    """Return RMSE of baselines without privacy: one mean, items' means, and a fit on public features."""
    train = split.train
    mean = float(train.values.mean(dtype=np.float64))
    counts = np.bincount(train.items, minlength=len(train.item_names))
    sums = np.bincount(train.items, train.values - mean, len(train.item_names))
    found = {"mean": np.full(len(counts), mean), "popularity": mean + sums / (counts + _PSEUDO_RATINGS)}
    if features is not None:
        found["public_features"] = mean + _on_features(features, counts, sums)
    errors = {
        name: rmse(lambda _, items, by=by: by[items], split.hidden, rating_range)  # type: ignore[misc]
        for name, by in found.items()
    }
    return {"public_features": None} | errors


def recall_baselines(split: Split, features: Features | None, *, most: int | None = None) -> dict[str, Any]:
    """Return recall of baselines without privacy: any order, the most rated items, and a fit of those on features.

    They are of the people whom `recall` is of.
    """
    counts = np.bincount(split.train.items, minlength=len(split.train.item_names)).astype(float)
    ranked = {"popularity": counts}
    if features is not None:
        logs = np.log(counts + 1)
        ranked["public_features"] = _on_features(features, np.ones(len(counts)), logs - logs.mean())
    found: dict[str, Any] = {
        name: recall(
            lambda users, by=by: np.tile(by, (len(users), 1)),  # type: ignore[misc]
            split.known,
            split.hidden,
            most=most,
        )
        for name, by in ranked.items()
    }
    users = np.flatnonzero(np.diff(split.hidden.offsets))[:most]
    unnamed = len(counts) - np.diff(split.known.offsets)[users]
    hidden = np.diff(split.hidden.offsets)[users]
    chance = (
        float(np.mean(np.minimum(TOP, unnamed) * hidden / unnamed / np.minimum(TOP, hidden))) if len(users) else None
    )
    return {"mean": chance, "public_features": None} | found


def _on_features(features: Features, weights: Array, sums: Array) -> Array:
    """Return items' values by a ridge regression on features; weights and weighted sums have shape (items,)."""
    x = np.concatenate([np.ones((len(weights), 1)), features.values.astype(np.float64)], axis=1)
    left = (x * weights[:, None]).T @ x + _PSEUDO_RATINGS * np.eye(x.shape[1])
    return np.asarray(x @ np.linalg.solve(left, x.T @ sums))
