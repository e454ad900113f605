"""Planning before anything is collected: what would be seen, how large sketches should be, what it costs."""

from ..registry import Wanted
from .cost import LETTERS, ROWS_AT_ONCE, Cost, estimate_cost, occupied
from .expectation import Expectation, Prospect, detection_limit
from .sizing import enough_rows, fewer_rows, suggest_num_buckets, suggest_num_hashes, suggest_shape
from .zipf import zipf_frequencies

__all__ = [
    "LETTERS",
    "ROWS_AT_ONCE",
    "Cost",
    "Expectation",
    "Prospect",
    "Wanted",
    "detection_limit",
    "enough_rows",
    "estimate_cost",
    "fewer_rows",
    "occupied",
    "suggest_num_buckets",
    "suggest_num_hashes",
    "suggest_shape",
    "zipf_frequencies",
]
