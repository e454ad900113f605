"""Models: what devices solve for, what they send gradients of, and what is foretold."""

from ..parameters import TrainingTask
from .factored_gradients import FactoredGradients
from .gradients import GradientModel
from .linear import LinearGradients

_KNOWN: dict[str, GradientModel] = {
    "factored": FactoredGradients(),
    "linear": LinearGradients(),
    "logistic": LinearGradients(),
}


def gradient_model_for(task: TrainingTask) -> GradientModel:
    """Return what makes gradients of a task's kind of model."""
    return _KNOWN[task.model.kind]


__all__ = ["gradient_model_for"]
