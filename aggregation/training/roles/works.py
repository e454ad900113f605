"""Works by purpose of a task, with the noise of their plan from the operating system."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..noise import Noise
from ..parameters import InvalidTask, TrainingTask
from .evaluation_work import EvaluationWork
from .refusals import RoleError
from .training_work import TrainingWork
from .work import Catalogue, Work

PURPOSES: Final[Mapping[str, Callable[[TrainingTask, Catalogue, Noise], Work]]] = {
    "train": TrainingWork,
    "evaluate": EvaluationWork,
}


def work_for(task: Mapping[str, Any], catalogue: Catalogue, purpose: str) -> Work:
    """Return what a task computes; a `WorkFor`."""
    if purpose not in PURPOSES:
        raise RoleError(f"A task is there to {' or to '.join(PURPOSES)}.")
    try:
        return PURPOSES[purpose](TrainingTask.from_mapping(task), catalogue, Noise())
    except InvalidTask as error:
        raise RoleError(str(error)) from None
