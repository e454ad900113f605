"""Ledgers of training tasks: the budget that their runs have spent, by whose data these are of."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from django.db.models import Case, Count, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce

from reports.models import TrainingRun, TrainingTask
from reports.training.run_facts import number_in, with_spent

# As `TrainingRun.source_of_data`.
_SOURCE: Final = Case(
    When(~Q(agreed={}), then=Value(TrainingRun.Source.DEVICES.value)),
    When(~Q(catalogue={}), then=Value(TrainingRun.Source.INVENTED.value)),
    default=Value(TrainingRun.Source.FILE.value),
)


@dataclass(frozen=True)
class Spent:
    """Budget spent by runs, of the people in them: each adds to what came before.

    Parameters
    ----------
    epsilon, delta : float
    runs : int
        Runs that have spent something.
    without_noise : int
        Runs of which nothing is bounded.
    """

    epsilon: float = 0.0
    delta: float = 0.0
    runs: int = 0
    without_noise: int = 0

    @property
    def has_begun(self) -> bool:
        return bool(self.runs or self.without_noise)


@dataclass(frozen=True)
class Ledger:
    """Budget spent by the runs of a task, by whose data they are of: sums over different people say nothing."""

    devices: Spent = Spent()
    file: Spent = Spent()
    invented: Spent = Spent()

    def of(self, source: str) -> Spent:
        return {str(each): spent for each, spent in self.by_source()}[source]

    def by_source(self) -> Iterator[tuple[TrainingRun.Source, Spent]]:
        source = TrainingRun.Source
        return zip(
            (source.DEVICES, source.FILE, source.INVENTED), (self.devices, self.file, self.invented), strict=True
        )


def ledgers(tasks: Iterable[TrainingTask] | QuerySet[TrainingTask]) -> dict[int, Ledger]:
    """Return the ledgers of tasks that have runs, by their keys."""
    # The newest round is found by an index, whatever the database believes of how many there are.
    has_begun = Q(newest_round__isnull=False)
    has_spent = Q(non_private=False) & (has_begun | Q(spent__gt=0))
    runs = with_spent(TrainingRun.objects.filter(version__task__in=tasks))
    sums = runs.annotate(source=_SOURCE).order_by().values("version__task", "source").annotate(
        epsilon=Sum("spent"),
        delta=Coalesce(Sum(number_in("delta", "version__parameters"), filter=has_spent), Value(0.0)),
        spenders=Count("pk", filter=has_spent),
        without_noise=Count("pk", filter=has_begun & Q(non_private=True)),
    )  # fmt: skip
    found: dict[int, dict[str, Spent]] = {}
    for each in sums:
        spent = Spent(each["epsilon"], each["delta"], each["spenders"], each["without_noise"])
        found.setdefault(each["version__task"], {})[each["source"]] = spent
    return {
        task: Ledger(*(of.get(source, Spent()) for source, _nothing in Ledger().by_source()))
        for task, of in found.items()
    }


def spent_by_devices(task: TrainingTask, *, but_for: TrainingRun | None = None) -> float:
    """Return the ε of all runs of a task by real devices, but for one: simulated ones touch no person."""
    runs = with_spent(TrainingRun.objects.by_devices().filter(version__task=task))
    if but_for is not None:
        runs = runs.exclude(pk=but_for.pk)
    return float(runs.aggregate(together=Sum("spent"))["together"] or 0.0)


def ledger_of(task: TrainingTask) -> Ledger:
    return ledgers([task]).get(task.pk, Ledger())
