"""Cost of Gaussian noise, by dp-accounting: composed, sampled; and the noise that a target allows.

Neighbouring data sets differ in all data of one person, who takes part or is left out. dp-accounting is imported where
it is used: it takes two seconds.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final

# Half of what an ε is printed with; the search for noise ends below it, on the safe side.
_TOLERANCE: Final = 1e-4
# Steps of privacy loss: those of the accountant by itself, and coarser ones where many figures are asked for. Coarser
# steps only give a larger ε.
_FINE: Final = 1e-4
_COARSE: Final = 2e-3
_COMPOSED: Final = 100


def gaussian_epsilon(noise_multiplier: float, delta: float) -> float:
    """Return ε of one Gaussian release, exact (Balle and Wang 2018); several compose to z = (Σ z⁻²)^(-1/2)."""
    from dp_accounting.gaussian_mechanism import get_epsilon_gaussian

    if math.isinf(noise_multiplier):
        return 0.0
    return float(get_epsilon_gaussian(noise_multiplier, delta)) if noise_multiplier > 0 else math.inf


def gaussian_noise(epsilon: float, delta: float) -> float:
    """Return the noise multiplier of one Gaussian release of (ε, δ)."""
    from dp_accounting.gaussian_mechanism import get_sigma_gaussian

    sigma = float(get_sigma_gaussian(epsilon, delta))
    # The root is found to a relative error; noise that is a billionth larger keeps the target.
    while gaussian_epsilon(sigma, delta) > epsilon:
        sigma *= 1 + 1e-9
    return sigma


@lru_cache(maxsize=256)
def sampled_epsilon(
    noise_multiplier: float, sampling_rate: float, rounds: int, delta: float, *, step: float = _FINE
) -> float:
    """Return ε of Gaussian releases over Poisson samples, by privacy loss distributions (Koskela et al. 2020)."""
    import dp_accounting
    from dp_accounting.pld import PLDAccountant

    if noise_multiplier <= 0:
        return math.inf
    event = dp_accounting.PoissonSampledDpEvent(sampling_rate, dp_accounting.GaussianDpEvent(noise_multiplier))
    accountant = PLDAccountant(value_discretization_interval=step)
    accountant.compose(event, rounds)
    return float(accountant.get_epsilon(delta))


@lru_cache(maxsize=16)
def sampled_epsilons(noise_multiplier: float, sampling_rate: float, rounds: int, delta: float) -> tuple[float, ...]:
    """Return upper bounds of ε after each round, by coarser steps; shape (rounds,), the last one exact.

    Of more than a hundred rounds some are composed, and a round between them has the bound of the next.
    """
    from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism

    last = sampled_epsilon(noise_multiplier, sampling_rate, rounds, delta)
    if math.isinf(last):
        return (last,) * rounds
    one = from_gaussian_mechanism(noise_multiplier, sampling_prob=sampling_rate, value_discretization_interval=_COARSE)
    stride = -(-rounds // _COMPOSED)
    step = one.self_compose(stride) if stride > 1 else one
    found: list[float] = []
    composed = step
    while len(found) + stride < rounds:
        found += [min(last, float(composed.get_epsilon_for_delta(delta)))] * stride
        composed = composed.compose(step)
    return (*found, *[last] * (rounds - len(found)))


def sampled_noise(epsilon: float, sampling_rate: float, rounds: int, delta: float) -> float:
    """Return a noise multiplier for Poisson samples whose ε is at most the target, and hardly below it."""
    return calibrated(lambda z: sampled_epsilon(z, sampling_rate, rounds, delta, step=_COARSE), epsilon)


def calibrated(epsilon_of: Callable[[float], float], target: float) -> float:
    """Return a noise multiplier whose ε is at most the target and within 0.0001 of the smallest such multiplier."""
    low, high = 0.0, 1.0
    while epsilon_of(high) > target:
        low, high = high, 2 * high
    while high - low > _TOLERANCE * high:
        middle = (low + high) / 2
        if epsilon_of(middle) > target:
            low = middle
        else:
            high = middle
    return high
