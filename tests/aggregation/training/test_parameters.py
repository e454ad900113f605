"""Tasks as files have them."""

import pickle
from typing import Any

import pytest

from aggregation.training import InvalidTask, TrainingTask, plan_training
from aggregation.training.parameters import ALGORITHMS

from .conftest import task_of

pytestmark = pytest.mark.exact


def test_mapping_is_read_and_written_back() -> None:
    noise = {"gramian": 90, "item_gramians": 40, "item_sums": 25.5}
    task = task_of(noise_multiplier=noise, metrics=["rmse", "auc"], mode="train_only")
    assert TrainingTask.from_mapping(task.to_mapping()) == task
    assert "learning_rate" not in task.to_mapping()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slug", "Films"),
        ("title", " "),
        ("population", 0),
        ("population", True),
        ("model", {"kind": "deep"}),
        ("model", {"kind": "factored", "dimension": 0}),
        ("algorithm", "sgd"),
        ("rounds", 0),
        ("target_epsilon", 10.1),
        ("target_epsilon", float("nan")),
        ("delta", 1e-3),
        ("rating_range", [5, 1]),
        ("sampling_rate", 0.1),
        ("noise_multiplier", 0),
        ("noise_multiplier", {}),
        ("noise_multiplier", {"gramian": 9, "item_sums": 2.5}),
        ("noise_multiplier", {"gramian": 9, "item_gramians": 9, "item_sums": 9, "gradient": 9}),
        ("metrics", ["beauty"]),
        ("mode", "sleep"),
        ("colour", "red"),
        ("title", None),
        ("population_name", "a\0"),
        ("population_name", "\ud800"),
        ("noise_multiplier", {"a\0": 1}),
    ],
)
def test_wrong_values_are_refused_by_their_field(field: str, value: Any) -> None:
    with pytest.raises(InvalidTask) as error:
        task_of(**{field: value})
    assert [problem.field for problem in error.value.problems] == [field]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_noise_by_kind_has_the_kinds_of_the_plan(algorithm: str) -> None:
    planned = plan_training(task_of(algorithm=algorithm)).noise_multipliers
    noise = {kind: 1.01 * each for kind, each in planned.items()}
    found = plan_training(task_of(algorithm=algorithm, noise_multiplier=noise)).noise_multipliers
    assert found == pytest.approx(noise)
    with pytest.raises(InvalidTask, match=r"must have exactly .* with " + algorithm):
        task_of(algorithm=algorithm, noise_multiplier={"noise": 100})


def test_all_problems_are_said_at_once() -> None:
    with pytest.raises(InvalidTask) as error:
        task_of(slug="", rounds=-1, delta=0.01)
    assert [problem.field for problem in error.value.problems] == ["slug", "rounds", "delta"]
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)  # noqa: S301 - its own
