"""Tasks as files have them."""

import pickle
from typing import Any

import pytest

from aggregation.training import InvalidTask, TrainingTask

from .conftest import task_of

pytestmark = pytest.mark.exact


def test_mapping_is_read_and_written_back() -> None:
    task = task_of(noise_multiplier={"gramian": 9, "item_sums": 2.5}, metrics=["rmse", "auc"], mode="train_only")
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
        ("metrics", ["beauty"]),
        ("mode", "sleep"),
        ("colour", "red"),
        ("title", None),
    ],
)
def test_wrong_values_are_refused_by_their_field(field: str, value: Any) -> None:
    with pytest.raises(InvalidTask) as error:
        task_of(**{field: value})
    assert [problem.field for problem in error.value.problems] == [field]


def test_all_problems_are_said_at_once() -> None:
    with pytest.raises(InvalidTask) as error:
        task_of(slug="", rounds=-1, delta=0.01)
    assert [problem.field for problem in error.value.problems] == ["slug", "rounds", "delta"]
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)  # noqa: S301 - its own
