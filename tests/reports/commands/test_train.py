"""The three commands of training, as a person at a terminal calls them, without any running process."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from reports.models import TrainingRun, TrainingTask
from tests.reports.trained import TASK, define_task, write_ratings

pytestmark = [pytest.mark.exact, pytest.mark.django_db]


def call(*arguments: str) -> Any:
    output = StringIO()
    call_command(*arguments, stdout=output, stderr=StringIO())
    return output.getvalue()


def write_tasks(path: Path, tasks: object) -> str:
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return str(path)


def test_a_task_is_applied_planned_and_trained(tmp_path: Path) -> None:
    own = {name: value for name, value in TASK.items() if not name.endswith(("group", "groups"))}
    assert call("apply_training_tasks", write_tasks(tmp_path / "tasks.json", [own])) == (
        "films: created; version 1 is active\n"
    )
    plan = json.loads(call("plan_training", "films"))
    fields = {"noise_multiplier", "epsilon", "delta", "rounds", "sampling_rate", "unamplified_epsilon", "unit"}
    assert {*plan} == fields
    ratings = str(write_ratings(tmp_path / "ratings.tsv"))
    document = json.loads(call("train", "films", "--ratings", ratings, "--inline", "--seed", "3"))
    assert {*document} == {
        *("rmse", "recall_at_20", "baselines", "epsilon", "delta", "rounds", "released", "seconds"),
        *("recall_at_20_standard_error", "recall_baselines", "people"),
    }
    assert {*document["rounds"][0]} == {"round", "rmse", "epsilon"}
    assert {*document["released"][0]} == {
        *("name", "round", "sensitivity", "noise_standard_deviation", "numbers", "bytes"),
    }
    assert document["epsilon"] == plan["epsilon"]
    again = json.loads(call("train", "films", "--ratings", ratings, "--inline", "--seed", "3"))
    assert again | {"seconds": 0} == document | {"seconds": 0}
    smaller = json.loads(call("train", "films", "--ratings", ratings, "--inline", "--epsilon", "1"))
    assert smaller["epsilon"] == pytest.approx(1)
    plain = json.loads(call("train", "films", "--ratings", ratings, "--inline", "--non-private", "--split", "users"))
    assert (plain["epsilon"], plain["rmse"]) == (None, None)
    assert 0 <= plain["recall_at_20"] <= 1


def test_exported_tasks_are_applied_without_a_change(tmp_path: Path) -> None:
    define_task()
    exported = tmp_path / "tasks.json"
    exported.write_text(call("export_training_tasks"), encoding="utf-8")
    assert call("apply_training_tasks", str(exported)) == "films: nothing changed in its parameters\n"
    (task,) = json.loads(exported.read_text(encoding="utf-8"))
    assert {name: task[name] for name in TASK} == TASK


def test_public_features_are_read_beside_the_ratings(tmp_path: Path) -> None:
    define_task(public_features=True)
    ratings = str(write_ratings(tmp_path / "ratings.tsv"))
    features = tmp_path / "features.tsv"
    features.write_text("".join(f"Film {item}\t{item}\tred\n" for item in range(12)), encoding="utf-8")
    document = json.loads(call("train", "films", "--ratings", ratings, "--item-features", str(features), "--inline"))
    assert document["baselines"]["public_features"] > 0
    assert TrainingRun.objects.get().feature_names == ["column 2", "red"]


def test_what_is_wrong_is_said_in_a_sentence(tmp_path: Path) -> None:
    ratings = str(write_ratings(tmp_path / "ratings.tsv"))
    broken = tmp_path / "broken.tsv"
    broken.write_text("a\tb\t3\na\tc\tmany\n", encoding="utf-8")
    with pytest.raises(CommandError, match="There is no training task 'films'"):
        call("train", "films", "--ratings", ratings, "--inline")
    version = define_task()
    with pytest.raises(CommandError, match=r"broken\.tsv, line 2: the rating 'many' is no number"):
        call("train", "films", "--ratings", str(broken), "--inline")
    broken.write_text("ann\tTango\t7\n", encoding="utf-8")
    with pytest.raises(CommandError, match=r"The rating 7 \(user ann, item Tango\) lies outside"):
        call("train", "films", "--ratings", str(broken), "--inline")
    with pytest.raises(CommandError, match="exclude each other"):
        call("train", "films", "--ratings", ratings, "--sealed", "--non-private", "--inline")
    with pytest.raises(CommandError, match=r"no\.tsv: No such file"):
        call("train", "films", "--ratings", "no.tsv", "--inline")
    with pytest.raises(CommandError, match="target_epsilon must be a number above 0 and at most 10"):
        call("train", "films", "--ratings", ratings, "--inline", "--epsilon", "11")
    for seed in (-1, 2**63):
        with pytest.raises(CommandError, match=f"^seed must be an integer from 0 to {2**63 - 1}, not {seed}"):
            call("train", "films", "--ratings", ratings, "--inline", "--seed", str(seed))
    with pytest.raises(CommandError, match="No worker is running"):
        call("train", "films", "--ratings", ratings)
    assert TrainingRun.objects.get().is_cancelled
    version.state = "closed"
    version.save()
    for command in (["plan_training", "films"], ["train", "films", "--ratings", ratings, "--inline"]):
        with pytest.raises(CommandError, match="has no active version"):
            call(*command)


def test_a_file_of_tasks_is_refused_as_a_whole(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="task 'films': rounds must be an integer"):
        call("apply_training_tasks", write_tasks(tmp_path / "tasks.json", [{**TASK, "rounds": "many"}]))
    with pytest.raises(CommandError, match="must hold a list"):
        call("apply_training_tasks", write_tasks(tmp_path / "object.json", {}))
    assert not TrainingTask.objects.exists()
