"""A small training task, and ratings that simulated devices hold."""

from pathlib import Path
from typing import Any

import numpy as np

from aggregation import training
from reports.jobs import finish_inline
from reports.models import TrainingRun, TrainingVersion
from reports.training import DeviceData, apply_tasks, check_tasks, order_training
from tests.worlds import once

TASK: dict[str, Any] = {
    "slug": "films",
    "title": "Films to watch",
    "population": 60,
    "model": {"kind": "factored", "dimension": 2},
    "algorithm": "dpam",
    "rounds": 2,
    "target_epsilon": 4,
    "delta": 1e-3,
    "report_goal": 20,
    "rating_range": [1, 5],
    "owner_group": "keyboard-owners",
    "viewer_groups": ["keyboard"],
}
PEOPLE, ITEMS, EACH = 60, 12, 10


def device_data(people: int = PEOPLE) -> DeviceData:
    """Ratings that follow two tastes, and one public feature."""
    rng = np.random.default_rng(5)
    tastes, kinds = rng.normal(size=people), rng.normal(size=ITEMS)
    users = np.repeat(np.arange(people, dtype=np.int32), EACH)
    items = np.concatenate(
        [np.sort(rng.choice(ITEMS, EACH, replace=False)).astype(np.int32) for _person in range(people)]
    )
    values = np.clip(np.round(3 + tastes[users] * kinds[items] + rng.normal(size=len(users)) / 2), 1, 5)
    names = [str(person) for person in range(people)], [f"Film {item}" for item in range(ITEMS)]
    ratings = training.make_ratings(users, items, values, *names)
    return DeviceData(ratings, training.Features(kinds[:, None].astype(np.float32), ["kind"]))


def define_task(**changes: Any) -> TrainingVersion:
    """Create the task and activate a version of it."""
    apply_tasks(check_tasks([{**TASK, **changes}]))
    slug = changes.get("slug", TASK["slug"])
    return TrainingVersion.objects.get(task__slug=slug, state=TrainingVersion.State.ACTIVE)


def order(version: TrainingVersion, people: int = PEOPLE, **options: Any) -> TrainingRun:
    return order_training(version, device_data(people), ring=False, **{"seed": 7, **options})


@once
def trained(slug: str = "films") -> TrainingRun:
    """A finished run, and one without noise beside it."""
    version = define_task(slug=slug)
    finish_inline(order(version, non_private=True))
    return finish_inline(order(version))


def write_ratings(path: Path) -> Path:
    """Write the ratings as the file that the command reads."""
    ratings = device_data().ratings
    lines = (
        f"{ratings.user_names[user]}\t{ratings.item_names[item]}\t{value:g}\n"
        for user, item, value in zip(ratings.users, ratings.items, ratings.values, strict=True)
    )
    path.write_text("".join(lines), encoding="utf-8")
    return path
