"""The demo's training task: an invented catalogue, trained at several ε and without noise, one run after the other."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from reports.demo import setup
from reports.models import TrainingRun, TrainingTask, TrainingVersion
from reports.training import apply_tasks, order_training, read_tasks

# Invented by the worker that trains: nothing is downloaded, and nothing stored.
CATALOGUE: dict[str, Any] = {"seed": 1, "films": 2000, "people": 20_000}
_SLUG: Final = "films"


class Planned(NamedTuple):
    """A run that the demo has, at an ε or at the version's own, with or without noise."""

    target_epsilon: float | None = None
    non_private: bool = False


# What the page opens with first, then what it is compared with.
RUNS: Final = (Planned(), Planned(non_private=True), Planned(1.0), Planned(8.0), Planned(2.0))


def define() -> None:
    """Define the task, unless there is one of its name."""
    if TrainingTask.objects.filter(slug=_SLUG).exists():
        return
    apply_tasks(read_tasks(setup.TRAINING))


def runs() -> Iterator[TrainingRun]:
    """Yield the demo's runs in their order: each again and again while it is under way, ordered if it is missing."""
    version = TrainingVersion.objects.filter(task__slug=_SLUG, number=1).first()
    if version is None:
        return
    for planned in RUNS:
        chosen: dict[str, Any] = {**planned._asdict(), "catalogue": CATALOGUE}
        run = version.runs.filter(**chosen).first() or order_training(version, seed=1, **chosen)
        while run.state in TrainingRun.UNFINISHED:
            yield run
            run.refresh_from_db(fields=["state"])
