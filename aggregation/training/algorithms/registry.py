"""The registry of training algorithms, by the names that tasks use."""

from ..parameters import TrainingTask
from .base import Algorithm
from .dpam import Dpam
from .follow_the_leader import DpFtrlTree
from .gradient import DpSgd

_KNOWN: dict[str, Algorithm] = {
    "dpam": Dpam(),
    "dp_sgd": DpSgd(),
    "dp_fedavg": DpSgd(),
    "dp_ftrl_tree": DpFtrlTree(),
}


def algorithm_for(task: TrainingTask) -> Algorithm:
    """Return the algorithm that a task names."""
    return _KNOWN[task.algorithm]
