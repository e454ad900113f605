"""Results of a simulated training run, by round and in all."""

from dataclasses import asdict, dataclass, field
from typing import Any

from .algorithms import Shared
from .held_out import ReleasedMetrics
from .parameters import TrainingTask
from .plan import PlannedRelease


@dataclass(frozen=True)
class RoundResult:
    """Results that are known after a round.

    Parameters
    ----------
    round : int
        From 1 on.
    rmse, recall_at_20 : float or None
        Exact errors of the simulation; no release.
    epsilon : float or None
        Spent so far; None without privacy.
    participants : int
    signal_to_noise : mapping of str to float
        By kind of release: the root mean square of the sums without noise, over the noise's standard deviation. It is
        the simulation's own, as errors are.
    rmse_error, recall_error : float or None
        Standard errors of `rmse` and `recall_at_20` over the people who are tested: they are a sample.
    clipped : float or None
        The share of contributions that are clipped; None without privacy.
    releases : list of PlannedRelease
        What the round let out, without its numbers.
    is_evaluated : bool
        Whether errors, signal to noise and clipping were looked for.
    metrics : ReleasedMetrics or None
        After at most ten rounds, where enough people evaluate.
    """

    round: int
    rmse: float | None
    recall_at_20: float | None
    epsilon: float | None
    participants: int
    signal_to_noise: dict[str, float]
    rmse_error: float | None
    recall_error: float | None
    clipped: float | None
    releases: list[PlannedRelease]
    is_evaluated: bool
    metrics: ReleasedMetrics | None = None


@dataclass(frozen=True)
class TrainingResult:
    """The result of a run, and the model.

    Parameters
    ----------
    task : TrainingTask
    rounds : list of RoundResult
    baselines, recall_baselines : dict of str to (float or None)
        What needs no training: in the metric of the split, and recall@20.
    people : dict of str to int
        How many have ratings (`all`), of whom so many hold something to train on (`trained`), and never train but
        release metrics (`evaluated`).
    epsilon, delta : float or None
    seconds : float
    shared : dict
        The model.
    """

    task: TrainingTask
    rounds: list[RoundResult]
    baselines: dict[str, float | None]
    recall_baselines: dict[str, float | None]
    people: dict[str, int]
    epsilon: float | None
    delta: float | None
    seconds: float
    shared: Shared = field(repr=False)

    @property
    def released(self) -> list[PlannedRelease]:
        """Releases of all rounds, without their numbers."""
        return [release for each in self.rounds for release in each.releases]

    def to_mapping(self) -> dict[str, Any]:
        """Return the document that the command `train` prints."""
        last = self.rounds[-1]
        return {
            "rmse": last.rmse,
            "recall_at_20": last.recall_at_20,
            "baselines": self.baselines,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "rounds": [{"round": each.round, "rmse": each.rmse, "epsilon": each.epsilon} for each in self.rounds],
            "released": [asdict(each) for each in self.released],
            "seconds": self.seconds,
            "recall_at_20_standard_error": last.recall_error,
            "recall_baselines": self.recall_baselines,
            "people": self.people,
        }
