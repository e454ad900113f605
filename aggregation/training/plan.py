"""The plan of a task: what will be released, with how much noise, and what that costs."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final

UNIT: Final = "one person, all rounds of the task"
_STEP: Final = Decimal("0.000001")


def rounded_up(epsilon: float) -> float:
    """Return ε with six decimals, and never less than it is: as documents print it."""
    return epsilon if math.isinf(epsilon) else float(Decimal(epsilon).quantize(_STEP, ROUND_CEILING))


@dataclass(frozen=True)
class PlannedRelease:
    """A release as it is planned: a noisy sum.

    Parameters
    ----------
    name : str
        The kind of release.
    round : int
        From 1 on.
    sensitivity : float
        The most that one person adds to the sum, in the Euclidean norm.
    noise_standard_deviation : float
        Of the noise in each coordinate.
    numbers, bytes : int or None
        Size of what was let out; None until the number of items is known.
    """

    name: str
    round: int
    sensitivity: float
    noise_standard_deviation: float
    numbers: int | None = None
    bytes: int | None = None

    @property
    def noise_multiplier(self) -> float:
        """Noise in units of the sensitivity."""
        return self.noise_standard_deviation / self.sensitivity


@dataclass(frozen=True)
class TrainingPlan:
    """Releases and cost of a training run.

    Parameters
    ----------
    noise_multipliers : mapping of str to float
        By kind of release: the one multiplier that, used in every round, costs as much as those of the rounds do.
    epsilon, delta : float
        The cost of the whole run for one person.
    rounds : int
    sampling_rate : float or None
        None where no privacy is claimed from sampling.
    releases : tuple of PlannedRelease
        All, in their order.
    unamplified_epsilon : float or None
        Cost of the same noise without amplification by sampling: what holds against those who know who was drawn.
        None where no privacy is claimed from sampling.
    """

    noise_multipliers: Mapping[str, float]
    epsilon: float
    delta: float
    rounds: int
    sampling_rate: float | None
    releases: tuple[PlannedRelease, ...]
    costs: Callable[[int], float] = field(repr=False, compare=False)
    unamplified_epsilon: float | None = None
    unit: str = UNIT

    def epsilon_after(self, number: int) -> float:
        """Return what the first rounds cost together."""
        return 0.0 if number <= 0 else self.costs(min(number, self.rounds))

    def release(self, name: str, number: int) -> PlannedRelease:
        """Return the release of a kind in a round."""
        return next(each for each in self.releases if each.name == name and each.round == number)

    def to_mapping(self) -> dict[str, Any]:
        """Return the plan as `plan_training` prints it."""
        several = dict(self.noise_multipliers)
        return {
            "noise_multiplier": several if len(several) > 1 else next(iter(several.values())),
            "epsilon": rounded_up(self.epsilon),
            "delta": self.delta,
            "rounds": self.rounds,
            "sampling_rate": self.sampling_rate,
            "unamplified_epsilon": None if self.unamplified_epsilon is None else rounded_up(self.unamplified_epsilon),
            "unit": self.unit,
        }
