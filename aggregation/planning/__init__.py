"""What to expect before anything is collected: what would be seen, how large sketches should be, what it costs."""

from aggregation.planning.cost import Cost, estimate_cost
from aggregation.planning.expectation import (
    LIKELY,
    DetectionLimit,
    Expectation,
    detection_limit,
    expect,
    expected_visible,
)
from aggregation.planning.sizing import suggest_num_buckets, suggest_num_hashes
from aggregation.planning.zipf import Frequencies, zipf_frequencies, zipf_shares

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
