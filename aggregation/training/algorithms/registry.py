"""The registry of training algorithms, by the names that tasks use."""

from ..parameters import TrainingTask
from .banded import DpFtrlBanded
from .base import Algorithm
from .binary_tree import DpFtrlTree
from .dpam import Dpam
from .gradient import DpSgd

_KNOWN: dict[str, Algorithm] = {
    "dpam": Dpam(),
    "dp_sgd": DpSgd(),
    "dp_fedavg": DpSgd(),
    "dp_ftrl_tree": DpFtrlTree(),
    "dp_ftrl_banded": DpFtrlBanded(),
}


def algorithm_for(task: TrainingTask) -> Algorithm:
    """Return the algorithm that a task names."""
    return _KNOWN[task.algorithm]
