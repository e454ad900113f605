"""Files of training tasks: created and activated, all or none, with every problem named."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from aggregation import training
from reports.models import TrainingTask, TrainingVersion
from reports.training import activate, apply_tasks, check_tasks, draft_from, parameters_of, plan_of, save_draft
from tests.reports.trained import TASK, define_task

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def test_a_task_is_created_with_its_groups_and_frozen_with_its_plan() -> None:
    version = define_task()
    task = version.task
    assert (task.title, task.owner_group and task.owner_group.name) == ("Films to watch", "keyboard-owners")
    assert [group.name for group in task.viewer_groups.all()] == ["keyboard"]
    plan = training.plan_training(parameters_of(version)).to_mapping()
    assert plan_of(version) == plan
    fields = ["noise_multiplier", "epsilon", "delta", "rounds", "sampling_rate", "unamplified_epsilon", "unit"]
    assert list(plan_of(version)) == fields
    with pytest.raises(ValidationError, match="frozen"):
        save_draft(version)


def test_the_same_file_changes_nothing_and_other_parameters_are_another_version() -> None:
    define_task()
    assert apply_tasks(check_tasks([TASK])) == [("films", "nothing changed in its parameters")]
    assert apply_tasks(check_tasks([{**TASK, "rounds": 3}])) == [("films", "version 2 is active")]
    states = TrainingVersion.objects.order_by("number").values_list("state", flat=True)
    assert list(states) == ["closed", "active"]


PROBLEMS: list[tuple[Any, list[str]]] = [
    ({**TASK, "rounds": 0, "delta": 0.05}, ["task 'films': rounds must be", "task 'films': delta must be at most"]),
    ({**TASK, "colour": 1}, ["task 'films': colour: There is no field 'colour'"]),
    ({"slug": "bare"}, [f"task 'bare': {name} is missing" for name in ("title", "population", "model", "rounds")]),
    ({**TASK, "published": 1, "viewer_groups": "all"}, ["published must be true or false", "viewer_groups must be"]),
    ({**TASK, "noise_multiplier": 0.1}, ["task 'films': noise_multiplier: With this noise the task costs ε ="]),
    (7, ["task number 2: must be an object"]),
    (TASK | {"slug": "first"}, ["task 'first': slug: stands in the file twice"]),
]


@pytest.mark.parametrize(("wrong", "problems"), PROBLEMS)
def test_every_problem_names_task_and_field_and_nothing_is_applied(wrong: object, problems: list[str]) -> None:
    with pytest.raises(ValidationError) as caught:
        apply_tasks(check_tasks([{**TASK, "slug": "first"}, wrong]))
    assert all(any(problem in said for said in caught.value.messages) for problem in problems), caught.value.messages
    assert not TrainingTask.objects.exists()


def test_a_draft_is_made_of_a_version_and_takes_over_when_it_is_activated() -> None:
    first = define_task()
    draft = draft_from(first)
    assert (draft.number, draft.state, draft.plan) == (2, "draft", None)
    draft.parameters = {**draft.parameters, "target_epsilon": 2}
    save_draft(draft)
    assert activate(draft).plan["epsilon"] <= 2  # type: ignore[index]
    first.refresh_from_db()
    assert first.state == TrainingVersion.State.CLOSED
    with pytest.raises(ValidationError, match="frozen"):
        activate(draft)
