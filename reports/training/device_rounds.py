"""Rounds of real devices, driven step by step: any worker may do a step again, and it lets out the same.

A round is opened at both trusted processes, and stays open until as many messages were carried as it was to have, or
until its time is over and there are enough. Then what is released of it moves the model, which is all that is kept. A
round that is lost with its aggregator is followed by the next: numbers are never used again.
"""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from aggregation import training
from aggregation.training.roles import (
    BelowGoal,
    Catalogue,
    MessageLengths,
    Refusal,
    RoundLost,
    Rounds,
    TrustedProcesses,
    awaited_messages,
    task_digest,
    work_for,
)
from reports.jobs import Later
from reports.models import DeviceRound, TrainingFile, TrainingRound, TrainingRun
from reports.models.failures import DEVICES_AWAITED, METRICS_AWAITED, PROCESSES_AWAITED
from reports.training.training_arrays import model_of, save_files, stored_arrays
from reports.training.trusted_processes import awaited, trusted_processes

# Between two looks at a round. The message that completes it calls a worker.
PAUSE: Final = timedelta(seconds=5)
# The parameters of a large model take a while to be handed over.
_PATIENCE: Final = 120.0
TRAIN, EVALUATE = DeviceRound.Purpose.TRAIN, DeviceRound.Purpose.EVALUATE
_WORDS: Final = {TRAIN: DEVICES_AWAITED, EVALUATE: METRICS_AWAITED}
# Figures of a round, as those of a simulated one. What only a simulation knows of its devices is not known of others.
_FIGURES: Final[dict[str, Any]] = {
    "rmse": None,
    "rmse_error": None,
    "recall_at_20": None,
    "recall_error": None,
    "participants": None,
    "signal_to_noise": {},
    "clipped": None,
    "metrics": None,
}


class DrivenRounds:
    """Rounds of a run, of one purpose.

    Parameters
    ----------
    run : TrainingRun
    processes : TrustedProcesses
    purpose : DeviceRound.Purpose
    """

    def __init__(self, run: TrainingRun, processes: TrustedProcesses, purpose: DeviceRound.Purpose) -> None:
        self._run = run
        self._purpose = purpose
        self._task = training.TrainingTask.from_mapping(run.agreed["task"])
        self._algorithm = training.algorithm_for(self._task)
        agreed, catalogue = run.agreed["task"], Catalogue.from_mapping(run.agreed["catalogue"])
        self._work = work_for(agreed, catalogue, purpose)
        self._rounds = Rounds(processes.aggregator, processes.distributor, agreed, catalogue, purpose)

    def step(self) -> bool:
        """Do what can be done now; returns whether a round has ended with it, so that more can be done."""
        current = self._current()
        if current is None:
            return False
        if self._is_due(current) and self._release(current):
            return True
        try:
            self._open(current)
        except RoundLost:
            # Or released, to a worker that ended before it was recorded.
            return self._release(current)
        return False

    def waiting(self) -> str:
        """Return what is waited for, in English; empty if no round is open."""
        current = self._all().filter(state=DeviceRound.State.OPEN).first()
        if current is None:
            return ""
        numbers = {"round": current.number, "rounds": self._work.rounds}
        return _WORDS[self._purpose] % (numbers | {"relayed": current.relayed, "expected": current.expected})

    def _all(self) -> QuerySet[DeviceRound]:
        return self._run.device_rounds.filter(purpose=self._purpose).order_by("-number")

    def _current(self) -> DeviceRound | None:
        """Return the round that is open, or the next one if it may begin."""
        last = self._all().first()
        if last is not None and not last.is_over:
            return last
        begun = {"expected": awaited_messages(self._work)}
        if self._purpose == TRAIN:
            number = 1 if last is None else last.number + 1
        else:
            number, begun["after"] = self._evaluation()
            if last is not None and (number <= last.number or begun["after"] == last.after):
                return None
        if not 1 <= number <= self._work.rounds:
            return None
        found, _is_new = DeviceRound.objects.get_or_create(
            run=self._run, purpose=self._purpose, number=number, defaults=begun
        )
        return found

    def _evaluation(self) -> tuple[int, int]:
        """Return which evaluation follows what was trained last, and the round that its model is of; 0 of neither."""
        over = self._run.device_rounds.filter(purpose=TRAIN).exclude(state=DeviceRound.State.OPEN).order_by("-number")
        last, released = over.first(), over.filter(state=DeviceRound.State.RELEASED).first()
        if last is None or released is None:
            return 0, 0
        return training.Evaluations(self._task).after(last.number) or 0, released.number

    def _open(self, current: DeviceRound) -> None:
        """Open a round at both processes, or once more: either may have been started anew."""
        shared = model_of(self._run)
        handed_out = {name: shared[name] for name in (*self._algorithm.rows, *self._algorithm.whole) if name in shared}
        lengths = MessageLengths.of(self._work)
        with awaited():
            statements = self._rounds.open(current.number, handed_out)
        DeviceRound.objects.filter(pk=current.pk).update(
            aggregator=statements.aggregator,
            distributor=statements.distributor,
            digest=task_digest(self._run.agreed["task"], self._run.agreed["catalogue"], self._purpose).hex(),
            contribution_bytes=lengths.contribution,
            request_bytes=lengths.request,
            opened_at=current.opened_at or timezone.now(),
        )

    def _is_late(self, current: DeviceRound) -> bool:
        length = self._run.round_length
        return current.opened_at is not None and length is not None and current.opened_at + length <= timezone.now()

    def _is_due(self, current: DeviceRound) -> bool:
        """Tell whether a round is to be released. The model stays as it is while an evaluation of it is open."""
        evaluations = self._run.device_rounds.filter(purpose=EVALUATE, state=DeviceRound.State.OPEN)
        if self._purpose == TRAIN and evaluations.exists():
            return False
        return current.opened_at is not None and (current.relayed >= current.expected or self._is_late(current))

    def _release(self, current: DeviceRound) -> bool:
        """Take what is released of a round, and record it; returns whether the round is over."""
        try:
            with awaited():
                released = self._rounds.release(current.number)
        except BelowGoal:
            # Training loses nothing by waiting on. The model that is evaluated would wait as well.
            if self._purpose == TRAIN or not self._is_late(current):
                return False
            self._end(current, DeviceRound.State.LOST)
            return True
        except RoundLost:
            with transaction.atomic():
                # It may have been let out, to a worker that ended with the aggregator.
                if self._end(current, DeviceRound.State.LOST) and self._purpose == TRAIN and self._is_due(current):
                    self._spend(current, [])
            return True
        record = self._train if self._purpose == TRAIN else self._evaluate
        record(current, released.releases, {Refusal(words).name.lower(): n for words, n in released.refused.items()})
        return True

    def _train(self, current: DeviceRound, releases: list[training.Release], refused: Mapping[str, int]) -> None:
        shared = self._algorithm.update(self._task, model_of(self._run), releases)
        with stored_arrays(TrainingFile.Kind.MODEL, shared) as files, transaction.atomic():
            # A worker that took this step over may have recorded the same.
            if self._end(current, DeviceRound.State.RELEASED, refused):
                save_files(self._run, files)
                self._spend(current, releases)

    def _spend(self, current: DeviceRound, releases: list[training.Release]) -> None:
        epsilon = training.rounded_up(training.plan_training(self._task).epsilon_after(current.number))
        said = {
            "epsilon": epsilon,
            "figures": _FIGURES,
            "releases": [asdict(each.without_numbers()) for each in releases],
        }
        TrainingRound.objects.get_or_create(run=self._run, number=current.number, defaults=said)

    def _evaluate(self, current: DeviceRound, releases: list[training.Release], refused: Mapping[str, int]) -> None:
        found = training.read_metrics(self._task, releases[0])
        said = asdict(releases[0].without_numbers(current.after))
        metrics = {
            "values": {name: value for name, (value, _error) in found.items()},
            "standard_errors": {name: error for name, (_value, error) in found.items()},
            "epsilon": training.rounded_up(training.Evaluations(self._task).epsilon_after(current.number)),
        }
        with transaction.atomic():
            if self._end(current, DeviceRound.State.RELEASED, refused):
                trained = self._run.rounds.select_for_update().get(number=current.after)
                trained.figures |= {"metrics": metrics}
                trained.releases.append(said)
                trained.save(update_fields=["figures", "releases"])

    @transaction.atomic
    def _end(self, current: DeviceRound, state: DeviceRound.State, refused: Mapping[str, int] | None = None) -> bool:
        """End a round that is open, with what the aggregator says it refused; returns whether it was open."""
        held = DeviceRound.objects.select_for_update().filter(pk=current.pk, state=DeviceRound.State.OPEN).first()
        if held is None:
            return False
        # Contributions that could be seen from outside were counted when they came.
        for name, count in (refused or {}).items():
            held.refused[name] = max(count, held.refused.get(name, 0))
        held.state, held.ended_at = state, timezone.now()
        held.save(update_fields=["state", "ended_at", "refused"])
        return True


def drive(run: TrainingRun) -> None:
    """Do what can be done of a run's rounds now; it ends when the last one is over.

    Raises `Later` while a round is open, and a RoleError for what the trusted processes will never do.
    """
    processes = trusted_processes(patience=_PATIENCE)
    if processes is None:
        raise Later(PROCESSES_AWAITED, PAUSE)
    train = DrivenRounds(run, processes, TRAIN)
    evaluate = DrivenRounds(run, processes, EVALUATE) if run.agreed["evaluated"] else None
    while (evaluate is not None and evaluate.step()) or train.step():
        if not TrainingRun.objects.unfinished().filter(pk=run.pk).exists():
            return
    if waiting := train.waiting() or (evaluate.waiting() if evaluate else ""):
        raise Later(waiting, PAUSE)


def document_of_rounds(run: TrainingRun) -> dict[str, Any] | None:
    """Return what a run by devices has found, in the form of a simulated one; None if nothing was released."""
    rounds = [*run.rounds.order_by("number")]
    released = [each for one in rounds for each in one.releases]
    if not released:
        return None
    metrics = [one.figures["metrics"]["values"] if one.figures["metrics"] else {} for one in rounds]
    newest: dict[str, float] = next((each for each in reversed(metrics) if each), {})
    return {
        "rmse": newest.get("rmse"),
        "recall_at_20": newest.get("recall_at_20"),
        # Held-out devices are not asked how well they would be foretold otherwise: that would be another release.
        "baselines": {},
        "epsilon": rounds[-1].epsilon,
        "delta": run.agreed["task"]["delta"],
        "rounds": [
            {"round": one.number, "rmse": each.get("rmse"), "epsilon": one.epsilon}
            for one, each in zip(rounds, metrics, strict=True)
        ],
        "released": released,
        "seconds": (timezone.now() - (run.started_at or run.created_at)).total_seconds(),
        # Nothing is known of people but their noisy sums.
        "recall_at_20_standard_error": None,
        "recall_baselines": {},
        "people": None,
    }
