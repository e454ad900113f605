"""Training runs as they are read: their figures, what they are compared with, and what a task has spent."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch

from reports.models import TrainingRound, TrainingRun, TrainingTask, TrainingVersion


@dataclass(frozen=True)
class RunFacts:
    """A run with its rounds."""

    run: TrainingRun
    rounds: Sequence[TrainingRound]

    @property
    def document(self) -> dict[str, Any]:
        return self.run.document or {}

    @property
    def parameters(self) -> dict[str, Any]:
        found: dict[str, Any] = self.run.version.parameters
        return found

    @property
    def is_finished(self) -> bool:
        return self.run.state == TrainingRun.State.FINISHED and self.run.document is not None

    @property
    def algorithm(self) -> str:
        return str(self.parameters["algorithm"])

    @property
    def target(self) -> float | None:
        """The ε that it was to spend; None without noise."""
        if self.run.non_private:
            return None
        return self.run.target_epsilon or float(self.parameters["target_epsilon"])

    @property
    def spent(self) -> float:
        """The ε of all that it has let out so far, at most; 0 without noise, of which nothing is said."""
        if self.run.is_spent:
            return self.target or 0.0
        return max((each.epsilon or 0.0 for each in self.rounds), default=0.0)

    @property
    def has_spent(self) -> bool:
        return bool(self.rounds) or self.spent > 0

    @property
    def rmse(self) -> float | None:
        found: float | None = self.document.get("rmse")
        return found

    @property
    def recall(self) -> float | None:
        found: float | None = self.document.get("recall_at_20")
        return found

    def baseline(self, name: str, metric: str = "rmse") -> float | None:
        """What the same devices get without this model: `mean`, `popularity` or `public_features`."""
        found = self.document.get("baselines", {}).get(name)
        return found.get(metric) if isinstance(found, dict) else found

    @property
    def compared_with(self) -> tuple[Any, ...]:
        """Runs of which this is equal hold out the same of the same data."""
        return self.run.data, self.run.split


def runs_of(tasks: Collection[TrainingTask]) -> list[RunFacts]:
    """Return the runs of tasks, the newest first."""
    rounds = Prefetch("rounds", TrainingRound.objects.defer("releases").order_by("number"))
    runs = TrainingRun.objects.filter(version__task__in=tasks).select_related("version__task", "requested_by")
    return [
        RunFacts(run, [*run.rounds.all()])
        for run in runs.defer("item_names", "feature_names").prefetch_related(rounds).order_by("-created_at")
    ]


def run_facts(run: TrainingRun) -> RunFacts:
    return RunFacts(run, [*run.rounds.order_by("number")])


@dataclass(frozen=True)
class Ledger:
    """What the runs of a task have spent of the people in it: each adds to what came before."""

    runs: Sequence[RunFacts]

    @property
    def epsilon(self) -> float:
        return sum(each.spent for each in self.private)

    @property
    def delta(self) -> float:
        return sum(float(each.parameters["delta"]) for each in self.spenders)

    @property
    def spenders(self) -> list[RunFacts]:
        return [each for each in self.private if each.has_spent]

    @property
    def without_noise(self) -> list[RunFacts]:
        return [each for each in self.runs if each.run.non_private and each.rounds]

    @property
    def private(self) -> list[RunFacts]:
        return [each for each in self.runs if not each.run.non_private]


def shown_run(runs: Sequence[RunFacts], wanted: str = "") -> RunFacts | None:
    """Return the run that is asked for, or else the newest finished one, best of the active version at its own ε."""
    finished = [each for each in runs if each.is_finished]
    named = [each for each in finished if str(each.run.pk) == wanted]
    private = [each for each in finished if not each.run.non_private]
    usual = [each for each in private if each.run.target_epsilon is None]
    active = [each for each in usual if each.run.version.state == TrainingVersion.State.ACTIVE]
    return next(iter([*named, *active, *usual, *private, *finished]), None)


def comparable_runs(runs: Sequence[RunFacts], shown: RunFacts) -> list[RunFacts]:
    """Return the finished runs that hold out the same of the same data, the oldest first."""
    return [each for each in reversed(runs) if each.is_finished and each.compared_with == shown.compared_with]
