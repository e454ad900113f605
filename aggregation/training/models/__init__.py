"""Models: what devices solve for, what they send gradients of, and what is foretold."""

from ..parameters import TrainingTask
from .factored_gradients import FactoredGradients
from .linear import LinearGradients


def gradient_model_for(task: TrainingTask) -> FactoredGradients | LinearGradients:
    """Return what makes gradients of a task's kind of model."""
    return FactoredGradients() if task.model.kind == "factored" else LinearGradients()


__all__ = ["gradient_model_for"]
