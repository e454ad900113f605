"""Training of models on data that stay on people's devices: private for each person over the whole run.

NumPy alone is needed to import it; accounting needs dp-accounting.
"""

from .algorithms import (
    Algorithm,
    Contribution,
    Examples,
    Release,
    Shape,
    Shared,
    Sums,
    algorithm_for,
    broadcast_of,
    rows_needed,
)
from .audit import audit_aggregator, honest_aggregator
from .catalogue import Catalogue, invented_catalogue
from .data import DataError, Features, Ratings, make_ratings, read_features, read_items, read_ratings
from .metrics import HELD_OUT, Evaluations, read_metrics
from .noise import Noise
from .on_device import device_model, foretold_on_device
from .parameters import (
    MAX_EPSILON,
    SAMPLED,
    SLUG,
    InvalidTask,
    Mode,
    TrainingTask,
)
from .plan import PlannedRelease, rounded_up
from .planning import plan_training
from .results import RoundResult, TrainingResult
from .simulation import IMPLICIT_WEIGHT, check_data, train

__all__ = [
    "HELD_OUT",
    "IMPLICIT_WEIGHT",
    "MAX_EPSILON",
    "SAMPLED",
    "SLUG",
    "Algorithm",
    "Catalogue",
    "Contribution",
    "DataError",
    "Evaluations",
    "Examples",
    "Features",
    "InvalidTask",
    "Mode",
    "Noise",
    "PlannedRelease",
    "Ratings",
    "Release",
    "RoundResult",
    "Shape",
    "Shared",
    "Sums",
    "TrainingResult",
    "TrainingTask",
    "algorithm_for",
    "audit_aggregator",
    "broadcast_of",
    "check_data",
    "device_model",
    "foretold_on_device",
    "honest_aggregator",
    "invented_catalogue",
    "make_ratings",
    "plan_training",
    "read_features",
    "read_items",
    "read_metrics",
    "read_ratings",
    "rounded_up",
    "rows_needed",
    "train",
]
