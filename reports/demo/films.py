"""The demo's training task: an invented catalogue, trained at several ε and without noise, one run after the other."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from reports.demo import setup
from reports.models import TrainingRun, TrainingTask, TrainingVersion
from reports.training import apply_tasks, check_tasks, order_training

# Invented by the worker that trains: nothing is downloaded, and nothing stored.
CATALOGUE: dict[str, Any] = {"seed": 1, "films": 2000, "people": 20_000}
_SLUG: Final = "films"
# The first attempt of the story: gradients, and nothing known of the films.
_FIRST_VERSION: Final = {"algorithm": "dp_sgd", "rounds": 30, "sampling_rate": 0.1, "public_features": None}


class Planned(NamedTuple):
    """A run that the demo has: of a version, at an ε or at the version's own, with or without noise."""

    version: int
    target_epsilon: float | None = None
    non_private: bool = False


# The run that the page opens with first, then those it is compared with.
RUNS: Final = (Planned(2), Planned(2, non_private=True), Planned(1), Planned(2, 1.0), Planned(2, 8.0), Planned(1, 1.0))


def define() -> None:
    """Define the task, unless there is one of its name."""
    if TrainingTask.objects.filter(slug=_SLUG).exists():
        return
    tasks = json.loads(setup.TRAINING.read_text(encoding="utf-8"))
    apply_tasks(check_tasks([{**task, **_FIRST_VERSION} for task in tasks]))
    apply_tasks(check_tasks(tasks))


def runs() -> Iterator[TrainingRun]:
    """Yield the demo's runs in their order: each again and again while it is under way, ordered if it is missing."""
    for planned in RUNS:
        version = TrainingVersion.objects.filter(task__slug=_SLUG, number=planned.version).first()
        if version is None:
            return
        chosen: dict[str, Any] = {"catalogue": CATALOGUE}
        chosen |= {"target_epsilon": planned.target_epsilon, "non_private": planned.non_private}
        run = version.runs.filter(**chosen).first() or order_training(version, seed=1, **chosen)
        while run.state in TrainingRun.UNFINISHED:
            yield run
            run.refresh_from_db(fields=["state"])
