"""A canary audit of an aggregator: what its releases give away of one person, bounded from below.

A canary is a person who sends the largest contribution that there is, ten times over, so that only the aggregator's own
clipping bounds it. Rounds are run many times with the canary and without. The auditor knows all that an attacker may
know, and guesses from all releases of a run together, by their likelihood ratio, whether it took part. From how often
that is wrong follows, with confidence, how much the releases tell: at least ε. More than the plan claims is a fault.

For algorithms that sample, a round is audited in which the canary takes part: what sampling adds is not measured.

References
----------
Nasr et al., "Tight auditing of differentially private machine learning", USENIX Security 2023: the noise is Gaussian,
so that one point of the trade-off between both kinds of error tells all of it.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from .accounting import gaussian_epsilon
from .algorithms import Algorithm, Contribution, Release, Shape, Sums, algorithm_for
from .noise import Noise
from .parameters import SAMPLED, TrainingTask
from .planning import plan_training

# How many times as large as allowed the canary's contribution is.
_EXCESS: Final = 10.0

# Takes contributions of a round, as they arrive, and lets out releases.
Aggregator = Callable[[Algorithm, TrainingTask, Shape, Sequence[Contribution], Noise, int], list[Release]]


@dataclass(frozen=True)
class Audit:
    """The outcome of an audit.

    Parameters
    ----------
    trials : int
        Runs with the canary, and as many without.
    claimed : float
        ε that the plan has for these rounds.
    at_least : float
        ε that the releases cost at least, at the given confidence.
    unplanned : int
        Releases in a run that the plan does not have, or has let out already.
    """

    trials: int
    claimed: float
    at_least: float
    unplanned: int

    @property
    def is_caught(self) -> bool:
        """Tell whether the releases tell more than is claimed, or there are more of them than planned."""
        return self.at_least > self.claimed or self.unplanned > 0


def honest_aggregator(
    algorithm: Algorithm,
    task: TrainingTask,
    shape: Shape,
    contributions: Sequence[Contribution],
    noise: Noise,
    number: int,
) -> list[Release]:
    """Clip, add and release as an aggregator should."""
    sums = algorithm.sums(task, shape)
    for contribution in contributions:
        algorithm.add(task, sums, algorithm.clip(task, shape, contribution))
    return algorithm.releases(task, sums, noise, number)


def audit_aggregator(
    task: TrainingTask, shape: Shape, aggregator: Aggregator, *, trials: int, seed: int | None = None, alpha: float
) -> Audit:
    """Run a task's rounds with a canary and without, and bound what they give away.

    Parameters
    ----------
    task : TrainingTask
        For trees, one whose separation is 1: noise that is carried from round to round is not measured.
    shape : Shape
        Few items are enough.
    aggregator : callable
        What is audited.
    trials : int
    seed : int, optional
        Of the noise; the operating system's generator without it.
    alpha : float
        The chance that an honest aggregator is accused.
    """
    algorithm = algorithm_for(task)
    plan = plan_training(task)
    rounds = 1 if task.algorithm in SAMPLED else task.rounds
    canary = canary_of(algorithm, task, shape)
    added = algorithm.sums(task, shape)
    algorithm.add(task, added, algorithm.clip(task, shape, canary))
    planned = [each for each in plan.releases if each.round <= rounds]
    squared = math.fsum(each.noise_multiplier**-2 for each in planned)
    noise = Noise(seed)

    def run(contributions: Sequence[Contribution]) -> list[Release]:
        return [
            release
            for number in range(1, rounds + 1)
            for release in aggregator(algorithm, task, shape, contributions, noise, number)
        ]

    def evidence(contributions: Sequence[Contribution]) -> float:
        return math.fsum(_evidence(release, added) for release in run(contributions))

    let_out = Counter((release.name, release.round) for release in run([]))
    unplanned = let_out - Counter((release.name, release.round) for release in planned)
    present = np.array([evidence([canary]) for _ in range(trials)])
    absent = np.array([evidence([]) for _ in range(trials)])
    accusing = float(np.median(np.concatenate([present, absent])))
    missed = _upper(int(np.sum(present <= accusing)), trials, alpha / 2)
    false = _upper(int(np.sum(absent > accusing)), trials, alpha / 2)
    mu = max(0.0, _quantile(1 - false) - _quantile(missed))
    return Audit(
        trials,
        gaussian_epsilon(squared**-0.5, task.delta),
        gaussian_epsilon(1 / mu, task.delta) if mu > 0 else 0.0,
        unplanned.total(),
    )


def canary_of(algorithm: Algorithm, task: TrainingTask, shape: Shape) -> Contribution:
    """Return a canary: the largest contribution that fits the format, far above the sensitivity."""
    items, values = algorithm.lengths(task, shape)
    bounds = [release.sensitivity for release in plan_training(task).releases]
    named = np.full(items, -1, np.int32)
    named[:1] = 0
    return Contribution(named, np.full(values, _EXCESS * max(bounds)))


def _evidence(release: Release, added: Sums) -> float:
    """Return what a release says for the canary: the logarithm of its likelihood ratio, but for a constant."""
    return float(np.sum(release.array * added[release.name])) / release.noise_standard_deviation**2


def _upper(count: int, trials: int, alpha: float) -> float:
    """Return Clopper and Pearson's upper bound of a probability."""
    from scipy.stats import beta

    return 1.0 if count == trials else float(beta.ppf(1 - alpha, count + 1, trials - count))


def _quantile(probability: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(probability))
