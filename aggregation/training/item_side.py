"""The item side of alternating minimisation, from noisy statistics: what the server makes of what is released.

All of it is post-processing, and costs no privacy. For each item j the aggregator has released A = Σ w u uᵀ and
b = Σ w r u with noise. With ratings r = ⟨u, v⟩ + ε, b is normal about A v with covariance S = s²w̄ A + diag σ_b², and v
has a prior N(m, P), m = Wᵀx for public features x. The posterior mean

    v = m + P A (A P A + S)⁻¹ (b - A m)

is the ridge solution (A + λI)⁻¹ b if there is no noise and P = (s²w̄/λ) I. W and P are found from all items together
(empirical Bayes, by expectation maximisation), so that directions in which there is only noise are left out.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ..arrays import Array

# The ridge of W: features are believed to explain this part of an item's variance, divided among them.
_FEATURE_RIDGE: Final = 0.002
# Items by which the prior is found: so many tell it well enough.
_MOST: Final = 1000
_ITERATIONS: Final = 15
_CHANGE: Final = 5e-3
_LEAST_VARIANCE: Final = 1e-9
# No item is believed to be rated by less than this part of what items are on average.
_LEAST_WEIGHT: Final = 0.1


@dataclass(frozen=True, eq=False)
class Prior:
    """Beliefs about items before their own statistics.

    Parameters
    ----------
    coefficients : ndarray, shape (features, d)
        W; a prior without features has none, and mean 0.
    covariance : ndarray, shape (d, d)
        P.
    """

    coefficients: Array
    covariance: Array


@dataclass(frozen=True, eq=False)
class Statistics:
    """Statistics of items: A of shape (m, d, d), b (m, d), x (m, features), s²w̄, σ_b² of shape (d,)."""

    gramians: Array
    sums: Array
    features: Array
    rating_variances: Array
    noise_variances: Array

    def some(self, most: int) -> "Statistics":
        """Return those of evenly spread items, at most so many."""
        step = -(-len(self.sums) // most)
        return replace(
            self,
            gramians=self.gramians[::step],
            sums=self.sums[::step],
            features=self.features[::step],
            rating_variances=self.rating_variances[::step],
            noise_variances=self.noise_variances[::step],
        )


def posterior(statistics: Statistics, prior: Prior) -> tuple[Array, Array]:
    """Return posterior means of shape (m, d) and the sum of the posterior covariances, of shape (d, d)."""
    a, d = statistics.gramians, statistics.sums.shape[1]
    means = statistics.features @ prior.coefficients
    left = statistics.sums[..., None] - a @ means[..., None]
    if not statistics.noise_variances.any():
        precision = statistics.rating_variances[:, None, None] * np.linalg.inv(prior.covariance)
        inverse = np.linalg.inv(a + precision)
        return means + (inverse @ left)[..., 0], np.tensordot(statistics.rating_variances, inverse, 1)
    ap = a @ prior.covariance
    spread = ap @ a + statistics.rating_variances[:, None, None] * a + statistics.noise_variances[:, None] * np.eye(d)
    gain = np.linalg.solve(spread, ap)
    explained = ap.reshape(-1, d).T @ gain.reshape(-1, d)
    return means + (np.swapaxes(gain, 1, 2) @ left)[..., 0], len(a) * prior.covariance - explained


def fitted(statistics: Statistics, prior: Prior, *, mean: bool, covariance: bool) -> Prior:
    """Return the prior that fits all items, beginning with one; what is not asked for stays as it is."""
    some = statistics.some(_MOST)
    x = some.features
    # The first column is the constant, which is believed to be anything.
    ridge = np.full(x.shape[1], len(x) * _FEATURE_RIDGE)
    ridge[:1] = 1e-9
    projector = np.linalg.solve(x.T @ x + np.diag(ridge), x.T)
    for _ in range(_ITERATIONS if mean or covariance else 0):
        found, covariances = posterior(some, prior)
        coefficients = projector @ found if mean else prior.coefficients
        rest = found - x @ coefficients
        estimate = (rest.T @ rest + covariances) / len(x) + _LEAST_VARIANCE * np.eye(rest.shape[1])
        before, prior = prior, Prior(coefficients, (estimate + estimate.T) / 2 if covariance else prior.covariance)
        if _distance(before, prior) < _CHANGE:
            break
    return prior


def _distance(one: Prior, other: Prior) -> float:
    """Return by how much priors differ, as a part of what they are."""
    pairs = (one.coefficients, other.coefficients), (one.covariance, other.covariance)
    return max(float(np.linalg.norm(a - b)) / max(float(np.linalg.norm(b)), 1e-12) for a, b in pairs if a.size)


def calibrated_weights(weights: Array, variance: Array) -> tuple[Array, Array]:
    """Return the best linear predictions of items' sums of weights from noisy ones, and the variance of their errors.

    Who divides by noisy weights gets too little everywhere: regression calibration (Carroll et al. 2006, chapter 4).
    """
    mean = np.maximum(weights.mean(axis=0), np.sqrt(variance.mean(axis=0) / len(weights)))
    varying = np.maximum(weights.var(axis=0) - variance.mean(axis=0), 0)
    kept = varying / (varying + variance)
    return np.maximum(mean + kept * (weights - mean), _LEAST_WEIGHT * mean), kept * variance


def shrunk(gramians: Array, typical: Array, weights: Array, noise: float) -> Array:
    """Return noisy Gramians of items, moved towards a multiple of what is typical as far as noise makes them depart.

    If who rates an item had nothing to do with u, A would be about n·C.

    Parameters
    ----------
    gramians : ndarray, shape (m, d, d)
        A with isotropic symmetric noise.
    typical : ndarray, shape (d, d)
        C, the mean of u uᵀ over all people.
    weights : ndarray, shape (m,)
        n, the sum of an item's weights; above 0.
    noise : float
        The standard deviation of the noise.

    Notes
    -----
    What is left of A beside n·C varies by φ·n, found from all items together, and by the noise: a best linear
    predictor keeps nφ/(nφ + σ²) of it.
    """
    d = gramians.shape[1]
    rest = gramians - weights[:, None, None] * typical
    coordinates = d * (d + 1) / 2
    excess = float(np.sum(rest**2)) - len(gramians) * noise**2 * (coordinates - 1)
    varying = weights * max(0.0, excess / float(weights.sum()) / coordinates)
    kept = varying / (varying + noise**2)
    return np.asarray(weights[:, None, None] * typical + kept[:, None, None] * rest)
