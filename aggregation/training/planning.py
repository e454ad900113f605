"""The plan of a task, checked against what it may cost."""

from ..errors import ParameterError
from .algorithms import algorithm_for
from .parameters import MAX_EPSILON, InvalidTask, TrainingTask
from .plan import TrainingPlan


def plan_training(task: TrainingTask) -> TrainingPlan:
    """Return what a task will release and cost.

    Raises
    ------
    InvalidTask
        If its own noise costs more than its target; the message has the figure.
    """
    plan = algorithm_for(task).plan(task)
    if plan.epsilon > min(task.target_epsilon, MAX_EPSILON) * (1 + 1e-9):
        raise InvalidTask(
            [
                ParameterError(
                    "noise_multiplier",
                    f"With this noise the task costs ε = {plan.epsilon:.4g} at δ = {task.delta:g}, more than its target"
                    f" of {task.target_epsilon:g}. Raise the noise, take fewer rounds, or leave noise_multiplier"
                    " out.",
                )
            ]
        )
    return plan
