"""Training runs as they are read: their figures, and what they are compared with.

Lists read neither documents nor rounds: what they need is annotated. Whatever is read has a bound.
"""

import math
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import (
    Avg,
    Case,
    Count,
    F,
    FloatField,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    StdDev,
    Subquery,
    Value,
    When,
    prefetch_related_objects,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce

from reports.models import TrainingRound, TrainingRun, TrainingTask, TrainingVersion

# Settings that are shown side by side, the newest ones.
MOST_SETTINGS: Final = 40
_FINISHED: Final = Q(state=TrainingRun.State.FINISHED, document__isnull=False)
# As `TrainingRun.is_spent`.
_SPENT: Final = Q(sealed=True, agreed={}, state=TrainingRun.State.FAILED, started_at__isnull=False)
# Figures of the last round.
_FIGURES: Final = ("rmse", "rmse_error", "recall_at_20", "recall_error")
_COMPARED: Final = ("version__task_id", "data", "split")
# Runs in which nothing differs but seeds.
_SETTING: Final = ("version", "target_epsilon", "non_private")


def number_in(name: str, of: str) -> Cast:
    return Cast(KeyTextTransform(name, of), FloatField())


def _rounds_of_run() -> QuerySet[TrainingRound]:
    return TrainingRound.objects.filter(run=OuterRef("pk")).order_by("-number")


def _target() -> Coalesce:
    return Coalesce(F("target_epsilon"), number_in("target_epsilon", "version__parameters"))


def with_spent(runs: QuerySet[TrainingRun]) -> QuerySet[TrainingRun]:
    """Annotate runs with the ε that they have spent, and the number of their newest round."""
    rounds = _rounds_of_run()
    epsilon = Coalesce(Subquery(rounds.values("epsilon")[:1]), Value(0.0), output_field=FloatField())
    spent = Case(
        When(non_private=True, then=Value(0.0)),
        When(_SPENT, then=_target()),
        default=epsilon,
        output_field=FloatField(),
    )
    newest = Subquery(rounds.values("number")[:1], output_field=IntegerField())
    return runs.annotate(spent=spent, newest_round=newest)


def with_last(runs: QuerySet[TrainingRun], *names: str) -> QuerySet[TrainingRun]:
    """Annotate runs with figures of their last round."""
    rounds = _rounds_of_run()
    figures = {name: rounds.annotate(found=number_in(name, "figures")).values("found")[:1] for name in names}
    return runs.annotate(**{name: Subquery(found, output_field=FloatField()) for name, found in figures.items()})


def with_figures(runs: QuerySet[TrainingRun]) -> QuerySet[TrainingRun]:
    """Annotate runs with what `RunFacts` says of them."""
    metrics = _rounds_of_run().filter(figures__metrics__isnull=False).values("figures__metrics")[:1]
    return (
        with_last(with_spent(runs), *_FIGURES)
        .select_related("version__task", "requested_by")
        .defer("document", "item_names", "feature_names")
        .annotate(
            target=Case(When(non_private=False, then=_target()), output_field=FloatField()),
            baselines=F("document__baselines"),
            recall_baselines=F("document__recall_baselines"),
            people=F("document__people"),
            unamplified=F("document__unamplified_epsilon"),
            metrics=Subquery(metrics),
        )
    )


@dataclass(frozen=True)
class RunFacts:
    """A run of `with_figures`.

    Parameters
    ----------
    run : TrainingRun
        With its annotations.
    """

    run: Any

    @cached_property
    def rounds(self) -> Sequence[TrainingRound]:
        return [*self.run.rounds.all()] if _is_prefetched(self.run) else [*_rounds().filter(run=self.run)]

    @property
    def parameters(self) -> dict[str, Any]:
        found: dict[str, Any] = self.run.version.parameters
        return found

    @property
    def algorithm(self) -> str:
        return str(self.parameters["algorithm"])

    @property
    def target(self) -> float | None:
        """The ε that it was to spend; None without noise."""
        found: float | None = self.run.target
        return found

    @property
    def unamplified_epsilon(self) -> float | None:
        """The ε against those who know who was drawn in which round; None if it is unknown, or none is drawn."""
        found: float | None = self.run.unamplified
        if found is None and self.run.target_epsilon is None:
            found = (self.run.version.plan or {}).get("unamplified_epsilon")
        return found

    @property
    def has_exact_figures_of_people(self) -> bool:
        """Tell whether its exact figures are of people who may be real: those of a file."""
        return bool(self.run.source_of_data == TrainingRun.Source.FILE)

    @property
    def spent(self) -> float:
        """The ε of all that it has let out so far, at most; 0 without noise, of which nothing is said."""
        return float(self.run.spent)

    @property
    def has_spent(self) -> bool:
        return not self.run.non_private and (self.run.newest_round is not None or self.spent > 0)

    @property
    def rmse(self) -> float | None:
        found: float | None = self.run.rmse
        return found

    @property
    def rmse_error(self) -> float | None:
        """The standard error of `rmse` over the people whose ratings were held out; nothing of the noise is in it."""
        found: float | None = self.run.rmse_error
        return found

    @property
    def recall(self) -> float | None:
        found: float | None = self.run.recall_at_20
        return found

    @property
    def recall_error(self) -> float | None:
        """The standard error of `recall` over the people whose items were held out; nothing of the noise is in it."""
        found: float | None = self.run.recall_error
        return found

    @property
    def people(self) -> dict[str, int] | None:
        """Numbers of people with ratings (`all`), trained and evaluated; None where they are no simulation's."""
        found: dict[str, int] | None = self.run.people
        return found

    @property
    def metrics(self) -> dict[str, Any] | None:
        """The last metrics that people who never train have released; None without noise."""
        found: dict[str, Any] | None = self.run.metrics
        return None if self.run.non_private else found

    @property
    def compared_with(self) -> tuple[Any, ...]:
        """Runs of which this is equal hold out the same of the same data."""
        return self.run.version.task_id, self.run.data, self.run.split

    def baseline(self, name: str, metric: str = "rmse") -> float | None:
        """The figure that the same devices get without this model: `mean`, `popularity` or `public_features`."""
        of_split = "rmse" if self.run.split == TrainingRun.Split.RATINGS else "recall_at_20"
        found = self.run.baselines if metric == of_split else self.run.recall_baselines if metric != "rmse" else None
        return (found or {}).get(name)


def _rounds() -> QuerySet[TrainingRound]:
    return TrainingRound.objects.defer("releases").order_by("number")


def _is_prefetched(run: TrainingRun) -> bool:
    return "rounds" in getattr(run, "_prefetched_objects_cache", {})


def with_rounds(runs: Collection[RunFacts]) -> None:
    """Read the rounds of some runs in one query."""
    prefetch_related_objects([each.run for each in runs], Prefetch("rounds", _rounds()))


def runs_of(tasks: Iterable[TrainingTask] | QuerySet[TrainingTask]) -> QuerySet[TrainingRun]:
    """Return the runs of tasks, the newest first."""
    return with_figures(TrainingRun.objects.filter(version__task__in=tasks)).order_by("-created_at", "pk")


def shown_run(task: TrainingTask, wanted: str = "", *, private: bool = False) -> RunFacts | None:
    """Return the run that is asked for, or else the one that `shown_runs` has of the task."""
    runs = runs_of([task])
    found = _shown(runs.filter(non_private=False) if private else runs, wanted)
    return None if found is None else RunFacts(found)


def _shown(runs: QuerySet[TrainingRun], wanted: str) -> TrainingRun | None:
    finished = runs.filter(_FINISHED)
    return _named(finished, wanted) or _best_first(finished).first()


def named_run(task: TrainingTask, wanted: str) -> RunFacts | None:
    """Return the run that is asked for, in whichever state it is."""
    found = _named(runs_of([task]), wanted)
    return None if found is None else RunFacts(found)


def _named(runs: QuerySet[TrainingRun], wanted: str) -> TrainingRun | None:
    try:
        return runs.filter(pk=uuid.UUID(wanted)).first() if wanted else None
    except ValueError:
        return None


def shown_runs(tasks: QuerySet[TrainingTask]) -> dict[int, RunFacts]:
    """Return the run that stands for each task: the newest finished one, best of the active version at its own ε."""
    runs = _best_first(runs_of(tasks).filter(_FINISHED)).distinct("version__task_id")
    return {run.version.task_id: RunFacts(run) for run in runs}


def _best_first(runs: QuerySet[TrainingRun]) -> QuerySet[TrainingRun]:
    usual = Q(non_private=False, target_epsilon=None)
    active = Q(version__state=TrainingVersion.State.ACTIVE)
    place = Case(When(usual & active, then=0), When(usual, then=1), When(non_private=False, then=2), default=3)
    return runs.annotate(place=place).order_by("version__task_id", "place", "-created_at")


def newest_runs(tasks: QuerySet[TrainingTask]) -> dict[int, RunFacts]:
    runs = runs_of(tasks).order_by("version__task_id", "-created_at").distinct("version__task_id")
    return {run.version.task_id: RunFacts(run) for run in runs}


class Forecast(NamedTuple):
    """Signal to noise to be expected, by kind of release, and the simulation's round that says so."""

    signal_to_noise: dict[str, float]
    round: TrainingRound


def forecast_at(version: TrainingVersion, people: int) -> Forecast | None:
    """Return the forecast of the last round with so many people, by the version's newest simulation; None without one.

    Noise is the same however many they are, and the sums grow with them.
    """
    simulated = version.runs.filter(_FINISHED, agreed={}, non_private=False, target_epsilon=None)
    newest = TrainingRound.objects.filter(run__in=simulated, figures__participants__gt=0)
    newest = newest.exclude(figures__signal_to_noise={}).select_related("run")
    found = newest.order_by("-run__created_at", "-number").first()
    if found is None:
        return None
    scale = people / found.figures["participants"]
    return Forecast({name: scale * value for name, value in found.figures["signal_to_noise"].items()}, found)


def best_without_noise(tasks: QuerySet[TrainingTask]) -> dict[tuple[Any, ...], float]:
    """Return the least error of runs without noise, by `RunFacts.compared_with`."""
    runs = with_last(TrainingRun.objects.filter(_FINISHED, version__task__in=tasks, non_private=True), "rmse")
    found = runs.order_by().values_list(*_COMPARED).annotate(best=Min("rmse")).filter(best__isnull=False)
    return {tuple(of): best for *of, best in found}


@dataclass(frozen=True)
class Setting:
    """Finished runs of one version at one ε, over the same data: they differ in their seeds.

    Parameters
    ----------
    run : RunFacts
        The newest of them, or the one that is shown.
    count : int
    rmse, recall : float or None
        Means over them.
    deviation, recall_deviation : float or None
        The standard deviations of `rmse` and `recall` between seeds; None of one run.
    """

    run: RunFacts
    count: int
    rmse: float | None
    recall: float | None
    deviation: float | None
    recall_deviation: float | None = None

    @property
    def target(self) -> float | None:
        return self.run.target

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval of `rmse`.

        Of several runs it is Student's over seeds, which choose what is held out, where training begins and the noise.
        Of one it is of the test error alone: what another draw of the noise would change is not in it.
        """
        return self._half_width(self.deviation, self.run.rmse_error)

    @property
    def recall_half_width(self) -> float:
        """Half of the 95 % interval of `recall`, in the same way."""
        return self._half_width(self.recall_deviation, self.run.recall_error)

    def _half_width(self, deviation: float | None, error: float | None) -> float:
        if deviation is None:
            return 1.96 * (error or 0.0)
        from scipy.special import stdtrit  # of which importing takes a while

        return float(stdtrit(self.count - 1, 0.975)) * deviation / math.sqrt(self.count)


@dataclass(frozen=True)
class RunsTogether:
    """Runs that one page shows.

    Parameters
    ----------
    shown : RunFacts or None
        The run of `shown_run`.
    settings : list of Setting
        The newest settings that hold out the same of the same data, that of the run that is shown first.
    listed : list of RunFacts
        The runs of a list, in its order.
    """

    shown: RunFacts | None
    settings: list[Setting]
    listed: list[RunFacts]


def runs_together(task: TrainingTask, wanted: str = "", listed: Sequence[uuid.UUID] = ()) -> RunsTogether:
    """Read the runs of a page by their keys, at once: a query for all figures takes long to write."""
    shown = _shown(TrainingRun.objects.filter(version__task=task).only("data", "split"), wanted)
    groups = _settings(task, shown) if shown is not None else []
    first_of = [each["first"][0] for each in groups]
    runs = with_figures(TrainingRun.objects.filter(pk__in=[*listed, *first_of])).in_bulk()
    facts = {key: RunFacts(run) for key, run in runs.items()}
    settings = [
        Setting(facts[key], *(each[name] for name in ("count", "mean", "mean_recall", "deviation", "recall_deviation")))
        for key, each in zip(first_of, groups, strict=True)
    ]
    return RunsTogether(settings[0].run if settings else None, settings, [facts[key] for key in listed])


def _settings(task: TrainingTask, shown: TrainingRun) -> list[dict[str, Any]]:
    same = TrainingRun.objects.filter(_FINISHED, version__task=task, data=shown.data, split=shown.split)
    return list(
        with_last(same, "rmse", "recall_at_20")
        .order_by()
        .values(*_SETTING)
        .annotate(
            count=Count("pk"),
            mean=Avg("rmse"),
            mean_recall=Avg("recall_at_20"),
            deviation=StdDev("rmse", sample=True),
            recall_deviation=StdDev("recall_at_20", sample=True),
            # The one that is shown stands for its own.
            first=ArrayAgg("pk", order_by=[Case(When(pk=shown.pk, then=0), default=1), "-created_at"]),
            is_shown=Count("pk", filter=Q(pk=shown.pk)),
            newest=Max("created_at"),
        )
        .order_by("-is_shown", "-newest")[:MOST_SETTINGS]
    )
