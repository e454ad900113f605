"""DPAM: alternating minimisation of factored models, with noise on the item side's sufficient statistics.

Each device solves its own ridge problem exactly and sends what describes it: (c, u), its weights and its weighted
ratings. The aggregator adds up K = Σ u uᵀ, and for each item A = Σ w u uᵀ and b = Σ w r u, and releases them with
noise; the server solves for the items. A person's weights have Σ w² ≤ 1, so that the sums move by at most Γ², Γ² and
Γ·r, where r bounds the norm of the weighted ratings. Ratings are taken as errors of what public features, or the mean
over all items, foretell of them by the rounds before: less than that need not be told.

References
----------
Chien et al., "Private alternating least squares", ICML 2021. Krichene et al., "Multi-task differential privacy under
distribution skew", ICML 2023, and "Private learning with public features", 2310.15454.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Flags
from ..accounting import gaussian_epsilon, gaussian_noise
from ..data import Rated, Ratings
from ..item_side import Prior, Statistics, calibrated_weights, fitted, posterior, shrunk
from ..least_squares import normal_equations, positive
from ..models.factored import constant, item_gramian, rating_variance, solve_users, vector_norm
from ..noise import Noise
from ..parameters import TrainingTask
from ..plan import PlannedRelease, TrainingPlan
from .base import Contribution, Examples, Release, Shape, Shared, Sums, checked_items, padded

GRAMIAN, ITEM_GRAMIANS, ITEM_SUMS = "gramian", "item_gramians", "item_sums"
# How a round's privacy is divided among what it releases, in squares of signal to noise. The sum over all people is
# large against any noise; item Gramians are mostly what is typical of all items; what an item is like is in its sums.
SHARES: Final = {GRAMIAN: 0.02, ITEM_GRAMIANS: 0.18, ITEM_SUMS: 0.8}
# Each round has so much more of the privacy than the one before, because early vectors are soon outdated: the more, the
# less noise there is to be averaged over rounds.
_LEAST_GROWTH: Final = 1.5
_MOST_GROWTH: Final = 2.0
_GROWTH_OF_EPSILON: Final = 1 / 16
# How much of the variance of items' sums a round changes.
_DRIFT: Final = 0.5
# Pairs whose products are found together: few enough for a core's cache.
_TOGETHER: Final = 4096


class Dpam:
    """Alternating minimisation, with or without public features."""

    rows: tuple[str, ...] = ("items", "item_means", "item_weights")
    whole: tuple[str, ...] = ("item_gramian",)

    def plan(self, task: TrainingTask) -> TrainingPlan:
        """Divide the privacy among rounds and kinds of release, all of which everybody may take part in."""
        return planned(task)

    def initial(self, task: TrainingTask, shape: Shape, rng: np.random.Generator) -> Shared:
        """Draw items at random, or at random among what their features span."""
        d = task.model.dimension
        vectors = rng.standard_normal((shape.items, d))
        x = np.ones((shape.items, 1))
        if task.public_features and shape.features is not None:
            values = shape.features.values.astype(float)
            values = (values - values.mean(axis=0)) / np.maximum(values.std(axis=0), 1e-9)
            x = np.concatenate([x, values], axis=1)
            # Directions that features have none for are left to chance.
            spanned = min(d, values.shape[1])
            told = values @ rng.standard_normal((values.shape[1], spanned))
            vectors[:, :spanned] = told / np.maximum(told.std(axis=0), 1e-9)
        elif task.regularization is not None:
            x = np.ones((shape.items, 0))
        scale = 0.1 * task.span / vector_norm(task) / np.sqrt(np.mean(np.sum(vectors**2, axis=1)))
        items = np.concatenate([np.zeros((shape.items, 1)), scale * vectors], axis=1).astype(np.float32)
        return {
            "items": items,
            "item_means": np.zeros_like(items),
            "item_weights": np.ones(shape.items, np.float32),
            "item_gramian": item_gramian(items),
            "features": x,
            "prior_covariance": np.eye(1 + d) * (0.1 * task.span) ** 2,
        }

    def separation(self, task: TrainingTask) -> int:
        """Return 1 unless the task wants more: the plan counts on everybody in every round."""
        return task.minimum_separation or 1

    def participants(self, task: TrainingTask, number: int, people: int, rng: np.random.Generator) -> Flags:
        """Everybody takes part in every round."""
        return np.ones(people, np.bool_)

    def contribution(self, task: TrainingTask, broadcast: Shared, examples: Examples) -> Contribution:
        """Return (c, u), the weights, and the weighted ratings."""
        count, most = len(examples.items), task.items_per_user
        if count > most:
            raise ValueError(f"A person contributes to at most {most} items, not {count}.")
        users, weights, weighted = described(
            task, broadcast, Rated(np.arange(count), np.array([0, count]), examples.values), broadcast["item_weights"]
        )
        d = users.shape[1]
        values = np.zeros(d + 2 * most, users.dtype)
        values[:d], values[d : d + count], values[d + most : d + most + count] = users[0], weights, weighted
        return Contribution(padded(examples.items, most), values)

    def lengths(self, task: TrainingTask, shape: Shape) -> tuple[int, int]:
        """Return the items of a person, and the numbers of (c, u), the weights, and the weighted ratings."""
        return task.items_per_user, 1 + task.model.dimension + 2 * task.items_per_user

    def clip(self, task: TrainingTask, shape: Shape, contribution: Contribution) -> Contribution:
        """Shorten what describes the person to Γ, the weights to 1 and the weighted ratings to their bound."""
        used = len(checked_items(contribution, shape.items, self.lengths(task, shape)))
        d, most = 1 + task.model.dimension, task.items_per_user
        values = contribution.values.astype(np.float64)
        parts = values[:d], np.maximum(values[d : d + most], 0), values[d + most :]
        for part in parts[1:]:
            part[used:] = 0
        bounds = task.user_norm, 1.0, rating_bound(task)
        shortened = [
            part * min(1.0, most / max(float(np.linalg.norm(part)), 1e-300))
            for part, most in zip(parts, bounds, strict=True)
        ]
        return Contribution(contribution.items, np.concatenate(shortened))

    def sums(self, task: TrainingTask, shape: Shape) -> Sums:
        """Return K, A and b before the first contribution."""
        d = 1 + task.model.dimension
        return {
            GRAMIAN: np.zeros((d, d)),
            ITEM_GRAMIANS: np.zeros((shape.items, d, d)),
            ITEM_SUMS: np.zeros((shape.items, d)),
        }

    def add(self, task: TrainingTask, sums: Sums, contribution: Contribution) -> None:
        """Add a person's part of K, A and b."""
        d, most = 1 + task.model.dimension, task.items_per_user
        used = contribution.items[contribution.items >= 0]
        user = contribution.values[:d].astype(np.float64)
        weights = contribution.values[d : d + len(used)]
        weighted = contribution.values[d + most : d + most + len(used)]
        square = np.outer(user, user)
        sums[GRAMIAN] += square
        sums[ITEM_GRAMIANS][used] += weights[:, None, None] * square
        sums[ITEM_SUMS][used] += weighted[:, None] * user

    def batch(self, task: TrainingTask, shared: Shared, ratings: Ratings) -> Sums:
        """Return K, A and b of all users with ratings."""
        users, weights, weighted = described(task, shared, ratings.rated, shared["item_weights"][ratings.items])
        order = ratings.by_item
        gramians, moments = normal_equations(
            users, ratings.users[order], ratings.item_offsets, weighted[order], weights[order]
        )
        present = users[np.diff(ratings.offsets) > 0]
        return {
            GRAMIAN: (present.T @ present).astype(np.float64),
            ITEM_GRAMIANS: gramians.astype(np.float64),
            ITEM_SUMS: moments.astype(np.float64),
        }

    def releases(self, task: TrainingTask, sums: Sums, noise: Noise, number: int) -> list[Release]:
        """Release K, A and b; noise on symmetric matrices is symmetric."""
        plan = planned(task)
        found = []
        for name in SHARES:
            release = plan.release(name, number)
            deviation = 0.0 if noise.off else release.noise_standard_deviation
            draw = noise.normal if name == ITEM_SUMS else noise.symmetric
            array = sums[name] + draw(sums[name].shape, deviation)
            found.append(Release(name, number, release.sensitivity, deviation, array))
        return found

    def update(self, task: TrainingTask, shared: Shared, releases: Sequence[Release]) -> Shared:
        """Solve for the items, with what public features say of them as prior."""
        by_name = {release.name: release for release in releases}
        gramian = positive(by_name[GRAMIAN].array)
        square = constant(task) ** 2
        people = max(gramian[0, 0] / square, 1.0)
        typical = gramian / people
        gramians, noise = by_name[ITEM_GRAMIANS].array, by_name[ITEM_GRAMIANS].noise_standard_deviation
        sums, deviation = by_name[ITEM_SUMS].array, by_name[ITEM_SUMS].noise_standard_deviation
        # The first entry of A is the item's sum of weights, times c².
        scale = shared["item_weights"].astype(np.float64)[:, None]
        noise_of_counts = (noise / square / scale) ** 2
        counts = gramians[:, :1, 0] / square / scale
        counts, spread, kept = remembered(shared, "counts", counts, noise_of_counts, np.zeros(1))
        if noise:
            counts, spread = calibrated_weights(counts, spread)
            weights, spread = scale * counts, scale**2 * spread
            gramians = shrunk(gramians, typical, weights[:, 0], noise)
            gramians[:, 0, 0] = weights[:, 0] * square
            gramians = positive(gramians)
        # The mean weight of a rating: Σ w² is 1 for each person.
        mean_weights = people / max(float(gramians[:, 0, 0] @ scale[:, 0]) / square, 1.0) * scale[:, 0]
        means = shared["item_means"].astype(np.float64)
        if task.implicit_weight:
            implicit = task.implicit_weight * mean_weights[:, None, None] * gramian
            gramians, sums = gramians + implicit, sums - np.einsum("jab,jb->ja", implicit, means)
        # Vectors drift about as far as they reach, and what rounds say of quality as far as chance takes ratings.
        drift = _DRIFT * np.maximum(np.mean(sums**2, axis=0) - deviation**2, 0)
        drift[0] = rating_variance(task) * float(np.mean(mean_weights * gramians[:, 0, 0]))
        sums, variances, also_kept = remembered(shared, "sums", sums, np.full(sums.shape, deviation**2), drift)
        # The errors of weights are in the first sums as far as an item is unlike what was foretold of it.
        variances = variances.copy()
        variances[:, 0] += spread[:, 0] * square**2 * shared["prior_covariance"][0, 0] if noise else 0.0
        statistics = Statistics(gramians, sums, shared["features"], rating_variance(task) * mean_weights, variances)
        prior = Prior(np.zeros((statistics.features.shape[1], sums.shape[1])), shared["prior_covariance"])
        if task.regularization is not None:
            ridge = float(np.mean(statistics.rating_variances)) / max(task.regularization, 1e-12)
            prior = Prior(prior.coefficients, ridge * np.eye(len(gramian)))
        prior = fitted(statistics, prior, mean=shared["features"].shape[1] > 0, covariance=task.regularization is None)
        items = (means + posterior(statistics, prior)[0]).astype(shared["items"].dtype)
        moved = statistics.features @ prior.coefficients
        means += moved
        if noise:
            # The kept sums are of errors from the means as they were.
            also_kept["sums_mean"] = sums - np.einsum("jab,jb->ja", gramians, moved)
            kept |= reweighted(task, counts[:, 0], scale[:, 0], also_kept)
        return (
            shared
            | kept
            | also_kept
            | {
                "items": items,
                "item_means": means.astype(items.dtype),
                "item_gramian": item_gramian(items),
                "prior_covariance": prior.covariance,
            }
        )


def reweighted(task: TrainingTask, counts: Array, before: Array, sums: Shared) -> Shared:
    """Return weights of items that give those a say that few people rate; sums that are kept are brought to them.

    The noise in what an item is like is that of its sums over n·w. Over all ratings its square is least, for a given
    Σ w² of each person, with w falling as the root of n; the more items can be learned at all, the nearer to that.
    """
    weights = (counts / counts.mean()) ** -task.weight_exponent
    weights /= math.sqrt(float(counts @ weights**2) / float(counts.sum()))
    ratio = (weights / before)[:, None]
    sums["sums_mean"], sums["sums_variance"] = sums["sums_mean"] * ratio, sums["sums_variance"] * ratio**2
    return {"item_weights": weights.astype(np.float32)}


def remembered(
    shared: Shared, name: str, estimates: Array, variance: Array, drift: Array
) -> tuple[Array, Array, Shared]:
    """Return estimates together with those of earlier rounds, as a Kalman filter weighs them.

    How often an item was rated, and how well, every round estimates anew, whatever its vectors are; together they have
    less noise than the last. What rounds tell of vectors is sooner outdated. Without noise the last round is exact.

    Parameters
    ----------
    shared : dict
        What the server has kept.
    name : str
    estimates : ndarray, shape (items, d)
    variance : ndarray, shape (d,)
        Of the noise in the estimates.
    drift : ndarray, shape (d,)
        The variance of what is estimated from one round to the next.

    Returns
    -------
    means : ndarray, shape (items, d)
    variance : ndarray, shape (d,)
        Of the noise in the means.
    kept : dict
        What the server keeps for the next round.
    """
    if not variance.any():
        return estimates, variance, {}
    if f"{name}_mean" in shared:
        before = shared[f"{name}_variance"] + drift
        gain = before / (before + variance)
        known = shared[f"{name}_mean"]
        estimates, variance = known + gain * (estimates - known), gain * variance
    return estimates, variance, {f"{name}_mean": estimates, f"{name}_variance": variance}


@lru_cache(maxsize=64)
def planned(task: TrainingTask) -> TrainingPlan:
    """Return the plan of a task: Gaussian releases, which compose exactly."""
    rounds = growth(task) ** np.arange(task.rounds, dtype=float)
    rounds /= rounds.sum()
    if task.noise_multiplier is None:
        total = gaussian_noise(task.target_epsilon, task.delta) ** -2
        costs = {name: total * share for name, share in SHARES.items()}
    else:
        given = task.noise_multiplier
        multipliers = dict(given) if isinstance(given, tuple) else dict.fromkeys(SHARES, given)
        costs = {name: task.rounds / multipliers[name] ** 2 for name in SHARES}
    spent = np.cumsum(rounds) * sum(costs.values())
    releases = tuple(
        PlannedRelease(name, number, norm, norm / math.sqrt(costs[name] * share))
        for number, share in enumerate(rounds, 1)
        for name, norm in sensitivities(task).items()
    )
    return TrainingPlan(
        {name: math.sqrt(task.rounds / cost) for name, cost in costs.items()},
        gaussian_epsilon(float(spent[-1]) ** -0.5, task.delta),
        task.delta,
        task.rounds,
        None,
        releases,
        lambda number: gaussian_epsilon(float(spent[number - 1]) ** -0.5, task.delta),
    )


def rating_bound(task: TrainingTask) -> float:
    """Return r: the most that the norm of a person's weighted ratings may be."""
    if task.clip_norm is not None:
        return task.clip_norm
    return 1.0 if task.is_implicit else 0.225 * task.span


def growth(task: TrainingTask) -> float:
    """Return how much more of the privacy each round has than the one before."""
    return min(_MOST_GROWTH, _LEAST_GROWTH + _GROWTH_OF_EPSILON * task.target_epsilon)


def sensitivities(task: TrainingTask) -> dict[str, float]:
    """Return the most that one person moves each sum by."""
    gamma = task.user_norm
    return {GRAMIAN: gamma**2, ITEM_GRAMIANS: gamma**2, ITEM_SUMS: gamma * rating_bound(task)}


def described(task: TrainingTask, shared: Shared, rated: Rated, item_weights: Array) -> tuple[Array, Array, Array]:
    """Return what describes people in sums: (c, u) of shape (people, 1 + d); weights and weighted ratings, shape (n,).

    u is brought to the norm that the bound allows, so that everybody has the same say, and noise is as small beside it
    as can be.
    """
    items = shared["items"]
    local = solve_users(task, items, shared["item_gramian"], rated)
    people, owner = len(rated.offsets) - 1, rated.owners
    norms = np.sqrt(np.einsum("nd,nd->n", local.vectors, local.vectors))
    scale = vector_norm(task) / np.maximum(norms, np.finfo(items.dtype).tiny)
    constants = np.full((people, 1), constant(task), items.dtype)
    users = np.concatenate([constants, local.vectors * scale[:, None].astype(items.dtype)], axis=1)
    weights = item_weights.astype(items.dtype)
    total = np.sqrt(np.bincount(owner, weights**2, people))
    weights = weights / np.maximum(total, 1e-30)[owner].astype(items.dtype)
    foretold = products(users, owner, shared["item_means"], rated.places)
    weighted = weights * (rated.values - task.middle - local.biases[owner] - foretold).astype(items.dtype)
    norm = np.sqrt(np.bincount(owner, weighted**2, people))
    weighted = weighted * np.minimum(1, rating_bound(task) / np.maximum(norm, 1e-30))[owner].astype(items.dtype)
    return users, weights, weighted


def products(left: Array, of_left: NDArray[np.integer], right: Array, of_right: NDArray[np.integer]) -> Array:
    """Return inner products, shape (n,), of rows of one table with rows of another, for n pairs of places."""
    found = np.empty(len(of_left), np.result_type(left, right))
    # All rows at once would take gigabytes, and longer.
    for start in range(0, len(found), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        np.einsum("nd,nd->n", left[of_left[part]], right[of_right[part]], out=found[part])
    return found
