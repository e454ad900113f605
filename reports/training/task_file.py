"""Files of training tasks: all problems are named before anything is written, and all are applied or none."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import transaction

from aggregation import training
from aggregation.errors import ParameterError, shown
from reports.definitions import read_json
from reports.models import TrainingTask, TrainingVersion
from reports.training.versions import activate, checked, save_draft

# Fields of the site, and none of training; the others are `training.TrainingTask`'s.
_OWN: Final = ("description", "published", "owner_group", "viewer_groups", "epsilon_limit")
_TYPES: Final = {
    "slug": (str, "a text"),
    "title": (str, "a text"),
    "description": (str, "a text"),
    "published": (bool, "true or false"),
    "owner_group": (str, "the name of a group"),
    "viewer_groups": (list, "a list of names of groups"),
}


@dataclass(frozen=True)
class TaskDefinition:
    """A checked task of a file, with only those fields of the site that the file has."""

    task: TrainingTask
    own: dict[str, Any]
    parameters: dict[str, Any]


def read_tasks(path: Path) -> list[TaskDefinition]:
    """Read the tasks of a file. Raises `ValidationError` with every problem, which names the task and the field."""
    return check_tasks(read_json(path))


def check_tasks(content: object) -> list[TaskDefinition]:
    """Check content that is decoded already. Raises as `read_tasks`."""
    if not isinstance(content, list):
        raise ValidationError("the file must hold a list of training tasks: put [ ] around them")
    problems: list[str] = []
    found: dict[str, TaskDefinition] = {}
    for place, item in enumerate(content):
        slug = item.get("slug") if isinstance(item, dict) else None
        where = f"task {slug!r}" if isinstance(slug, str) else f"task number {place + 1}"
        definition, wrong = _checked(item)
        if definition is not None and found.setdefault(definition.task.slug, definition) is not definition:
            wrong.append("slug: stands in the file twice; give one of them another")
        problems += [f"{where}: {problem}" for problem in wrong]
    if problems:
        raise ValidationError(problems)
    return [*found.values()]


def written_tasks() -> list[dict[str, Any]]:
    """Return all tasks that have an active version as a file has them; applied again, it changes nothing."""
    versions = TrainingVersion.objects.filter(state=TrainingVersion.State.ACTIVE).select_related("task__owner_group")
    return [
        {
            "slug": version.task.slug,
            "title": version.task.title,
            "description": version.task.description,
            "published": version.task.published,
            "epsilon_limit": version.task.epsilon_limit,
            "owner_group": "" if version.task.owner_group is None else version.task.owner_group.name,
            "viewer_groups": [group.name for group in version.task.viewer_groups.order_by("name")],
            **version.parameters,
        }
        for version in versions.order_by("task__slug")
    ]


def _checked(item: object) -> tuple[TaskDefinition | None, list[str]]:
    if not isinstance(item, dict):
        return None, ["must be an object { }"]
    wrong_types = {name for name, (kind, _words) in _TYPES.items() if name in item and type(item[name]) is not kind}
    problems = [f"{name} must be {_TYPES[name][1]}, not {shown(item[name])}" for name in _TYPES if name in wrong_types]
    names = item.get("viewer_groups", [])
    if isinstance(names, list) and not all(isinstance(name, str) and name for name in names):
        problems.append(f"viewer_groups must be a list of names of groups, not {shown(names)}")
    limit = item.get("epsilon_limit")
    if limit is not None and not (type(limit) in {int, float} and 0 <= limit < math.inf):
        problems.append(f"epsilon_limit must be a number of at least 0, or null, not {shown(limit)}")
    parameters = {name: value for name, value in item.items() if name not in _OWN}
    try:
        training.plan_training(training.TrainingTask.from_mapping(parameters))
    except training.InvalidTask as error:
        problems += [in_words(problem) for problem in error.problems if problem.field not in wrong_types]
    if problems:
        return None, problems
    task = TrainingTask(**{name: item[name] for name in ("slug", "title", "description") if name in item})
    try:
        task.full_clean(validate_unique=False)
    except ValidationError as error:
        return None, [f"{name}: {message}" for name, said in error.message_dict.items() for message in said]
    own = {name: item[name] for name in _OWN if name in item}
    kept = {name: value for name, value in parameters.items() if name not in ("slug", "title")}
    return TaskDefinition(task, own, checked(task, kept)), []


def in_words(problem: ParameterError) -> str:
    """Return what is wrong, with the name of the field."""
    return str(problem) if str(problem).startswith(problem.field) else f"{problem.field}: {problem}"


@transaction.atomic
def apply_tasks(definitions: Sequence[TaskDefinition]) -> list[tuple[str, str]]:
    """Create tasks and activate what the file says of them: all, or none. Yields each slug with what was done."""
    return [(each.task.slug, _apply(each)) for each in sorted(definitions, key=lambda each: each.task.slug)]


def _apply(definition: TaskDefinition) -> str:
    task, created = TrainingTask.objects.get_or_create(
        slug=definition.task.slug, defaults={"title": definition.task.title}
    )
    task.title = definition.task.title
    own = dict(definition.own)
    viewers = own.pop("viewer_groups", None)
    if "owner_group" in own:
        own["owner_group"] = Group.objects.get_or_create(name=own["owner_group"])[0] if own["owner_group"] else None
    for name, value in own.items():
        setattr(task, name, value)
    task.save()
    if viewers is not None:
        task.viewer_groups.set([Group.objects.get_or_create(name=name)[0] for name in viewers])
    active = task.active_version()
    if active is not None and active.parameters == definition.parameters:
        return "nothing changed in its parameters"
    version = TrainingVersion(task=task, parameters=definition.parameters)
    save_draft(version)
    activate(version)
    return f"{'created; ' if created else ''}version {version.number} is active"
