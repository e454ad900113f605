"""What may be said of estimates: errors, intervals, what stands out from the noise, what differs, what to expect."""

from aggregation.accuracy.bounds import upper_bound_below_threshold, upper_bounds_below_threshold
from aggregation.accuracy.change import Windows, variance_of_change
from aggregation.accuracy.comparison import Differences, compare
from aggregation.accuracy.consistency import consistent_counts
from aggregation.accuracy.cost import Cost, estimate_cost
from aggregation.accuracy.difference import Side
from aggregation.accuracy.intervals import adjusted_level, intervals
from aggregation.accuracy.planning import LIKELY, DetectionLimit, Expectation, detection_limit, expect, expected_visible
from aggregation.accuracy.significance import benjamini_hochberg
from aggregation.accuracy.sizing import suggest_num_buckets, suggest_num_hashes
from aggregation.accuracy.squares import plug_in_f2
from aggregation.accuracy.summaries import GroupSummary, Summary, summarize, summarize_groups
from aggregation.accuracy.zipf import Frequencies, zipf_frequencies, zipf_shares

__all__ = [
    "LIKELY",
    "Cost",
    "DetectionLimit",
    "Differences",
    "Expectation",
    "Frequencies",
    "GroupSummary",
    "Side",
    "Summary",
    "Windows",
    "adjusted_level",
    "benjamini_hochberg",
    "compare",
    "consistent_counts",
    "detection_limit",
    "estimate_cost",
    "expect",
    "expected_visible",
    "intervals",
    "plug_in_f2",
    "suggest_num_buckets",
    "suggest_num_hashes",
    "summarize",
    "summarize_groups",
    "upper_bound_below_threshold",
    "upper_bounds_below_threshold",
    "variance_of_change",
    "zipf_frequencies",
    "zipf_shares",
]
