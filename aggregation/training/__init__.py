"""Training of models on data that stay on people's devices: private for each person over the whole run.

NumPy alone is needed to import it; accounting needs dp-accounting.
"""

from .algorithms import (
    Algorithm,
    Contribution,
    Examples,
    InvalidContribution,
    Release,
    Shape,
    Shared,
    Sums,
    algorithm_for,
    broadcast_of,
    rows_needed,
)
from .audit import Audit, audit_aggregator, honest_aggregator
from .catalogue import Catalogue, Film, invented_catalogue
from .data import DataError, Features, Ratings, make_ratings, read_features, read_items, read_ratings
from .held_out import ReleasedMetrics
from .metrics import HELD_OUT, Evaluations, read_metrics
from .noise import Noise
from .on_device import DeviceModel, device_model, foretold_on_device
from .parameters import (
    ALGORITHMS,
    MAX_EPSILON,
    METRICS,
    MODELS,
    SAMPLED,
    SLUG,
    Inference,
    InvalidTask,
    Mode,
    ModelParameters,
    TrainingTask,
)
from .plan import PlannedRelease, TrainingPlan, rounded_up
from .planning import plan_training
from .results import RoundResult, TrainingResult
from .simulation import IMPLICIT_WEIGHT, check_data, train

__all__ = [
    "ALGORITHMS",
    "HELD_OUT",
    "IMPLICIT_WEIGHT",
    "MAX_EPSILON",
    "METRICS",
    "MODELS",
    "SAMPLED",
    "SLUG",
    "Algorithm",
    "Audit",
    "Catalogue",
    "Contribution",
    "DataError",
    "DeviceModel",
    "Evaluations",
    "Examples",
    "Features",
    "Film",
    "Inference",
    "InvalidContribution",
    "InvalidTask",
    "Mode",
    "ModelParameters",
    "Noise",
    "PlannedRelease",
    "Ratings",
    "Release",
    "ReleasedMetrics",
    "RoundResult",
    "Shape",
    "Shared",
    "Sums",
    "TrainingPlan",
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
