"""What to expect before anything is collected: what would be seen, how large sketches should be, what it costs."""

from .cost import Cost, estimate_cost
from .expectation import LIKELY, DetectionLimit, Expectation, detection_limit, expect, expected_visible
from .sizing import suggest_num_buckets, suggest_num_hashes
from .zipf import Frequencies, zipf_frequencies, zipf_shares

__all__ = [
    "LIKELY",
    "Cost",
    "DetectionLimit",
    "Expectation",
    "Frequencies",
    "detection_limit",
    "estimate_cost",
    "expect",
    "expected_visible",
    "suggest_num_buckets",
    "suggest_num_hashes",
    "zipf_frequencies",
    "zipf_shares",
]
