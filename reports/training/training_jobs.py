"""Training as a job: one part trains all rounds, and tells of each when it is over."""

import datetime
import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from typing import Any, Final

from django.db import transaction
from django.db.models import Max
from django.utils.crypto import salted_hmac

from aggregation import training
from aggregation.training.roles import RoleError, SealedRounds, sealed_rounds
from reports.jobs import JobType, Share, cancel, end, hand_in, hold
from reports.models import TrainingFile, TrainingPart, TrainingRound, TrainingRun
from reports.models.failures import NOTHING_RELEASED, SPENT
from reports.training.device_rounds import document_of_rounds, drive
from reports.training.training_arrays import devices_data, forget_devices, save_files, stored_arrays
from reports.training.versions import parameters_of

# Fact of a part whose sealed rounds have begun. Attempts are no sign of it: a transient error takes its own back.
_BEGUN: Final = "begun"


class _Ended(Exception):
    """The run was cancelled while a worker was at it."""


class TrainingJobs(JobType[TrainingRun, TrainingPart]):
    model = TrainingRun
    # All rounds are one part.
    longest = datetime.timedelta(days=1)

    def cut(self, job: TrainingRun) -> Iterable[TrainingPart]:
        return [TrainingPart(run=job)]

    def do(self, part: TrainingPart) -> None:
        run = self.jobs().unfinished().select_related("version__task").filter(pk=part.run_id).first()
        if run is None:
            return
        if run.by_devices:
            self._drive(run, part)
            return
        if run.sealed and (part.attempts > 1 or _BEGUN in part.facts or run.rounds.exists()):
            # Real noise would be drawn anew, and what was let out stays let out: another run is another budget.
            cancel([run], SPENT, keep_parts=True)
            return
        try:
            result = _train(run)
        except _Ended:
            return
        except RoleError as refusal:
            cancel([run], str(refusal), keep_parts=True)
            return
        with stored_arrays(TrainingFile.Kind.MODEL, result.shared) as files, transaction.atomic():
            # A worker that took this part over may have handed in the same before.
            if hand_in(part):
                run.document = result.to_mapping() | _unamplified(result)
                run.save(update_fields=["document", "item_names"])
                save_files(run, files)

    def _drive(self, run: TrainingRun, part: TrainingPart) -> None:
        """Do what can be done of real devices' rounds now, and hand in once the last is over. Raises `Later` before."""
        try:
            drive(run)
        except RoleError as refusal:
            cancel([run], str(refusal), keep_parts=True)
            return
        run.document = document_of_rounds(run)
        if run.document is None:
            cancel([run], NOTHING_RELEASED, keep_parts=True)
            return
        with transaction.atomic():
            if hand_in(part):
                run.save(update_fields=["document"])

    def finish(self, job: TrainingRun) -> None:
        with transaction.atomic():
            if held := hold(job):
                forget_devices(held)
                end(held)

    def shares(self, jobs: Collection[TrainingRun]) -> Mapping[Any, Share]:
        ours = [job.pk for job in jobs if job.state in TrainingRun.UNFINISHED]
        runs = TrainingRun.objects.filter(pk__in=ours).annotate(
            done=Max("rounds__number"), newest=Max("rounds__ended_at")
        )
        found = runs.order_by().values_list("pk", "done", "version__parameters__rounds", "newest")
        return {pk: Share((done or 0) / rounds, (done or 0) / rounds, newest) for pk, done, rounds, newest in found}


def _train(run: TrainingRun) -> training.TrainingResult:
    data = devices_data(run)
    task = parameters_of(run.version, target_epsilon=run.target_epsilon)
    releases: list[dict[str, Any]] = []

    def record(each: training.RoundResult) -> None:
        figures = asdict(each)
        number, epsilon = figures.pop("round"), figures.pop("epsilon")
        releases.extend(figures.pop("releases"))
        if each.metrics is not None:
            releases.append(figures["metrics"].pop("release"))
        # Not each of many rounds is evaluated: the next one that is has what those before it have let out, too.
        if not figures.pop("is_evaluated"):
            return
        if not TrainingRun.objects.unfinished().filter(pk=run.pk).exists():
            raise _Ended
        TrainingRound.objects.update_or_create(
            run=run, number=number, defaults={"epsilon": epsilon, "releases": releases, "figures": figures}
        )
        releases.clear()

    with _path(run, data.features) as contribute:
        result = training.train(
            task,
            data.ratings,
            data.features,
            seed=run.seed,
            noise_seed=noise_seed(run),
            split="users" if run.split == TrainingRun.Split.USERS else "ratings",
            non_private=run.non_private,
            on_round=record,
            contribute=contribute,
        )
    if run.catalogue:
        run.item_names = [*data.ratings.item_names]
    return result


def _unamplified(result: training.TrainingResult) -> dict[str, float | None]:
    """Return a run's cost against those who know who was drawn: another target than the version's has other noise."""
    if result.epsilon is None:
        return {}
    return {"unamplified_epsilon": training.plan_training(result.task).to_mapping()["unamplified_epsilon"]}


def noise_seed(run: TrainingRun) -> int:
    """Return the secret seed of a run's noise, which is never shown: its own seed is, and short enough to be guessed.

    The same command trains the same model again. Runs that differ in anything share no noise: of two that did, the
    difference would tell what devices hold.
    """
    told = [run.seed, run.version.task.slug, run.version.parameters, run.target_epsilon, run.split, run.data]
    keyed = salted_hmac("reports.training.noise", json.dumps(told, sort_keys=True), algorithm="sha256")
    return int(keyed.hexdigest(), 16)


def _path(run: TrainingRun, features: training.Features | None) -> AbstractContextManager[SealedRounds | None]:
    """Have the processes of all roles for as long as a sealed run takes, which is noted as begun before it is."""
    if run.sealed:
        run.parts.update(facts={_BEGUN: True})
    return sealed_rounds(features) if run.sealed else nullcontext()
