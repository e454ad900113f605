"""What may be said of counts: estimates, errors, intervals, thresholds, multiple testing, and differences."""

from aggregation.estimation.binomial import log_pmf, log_pmf_of_each, upper_quantile, upper_tail, widened_quantile
from aggregation.estimation.bounds import upper_bound_below_threshold, upper_bounds_below_threshold
from aggregation.estimation.change import Windows, variance_of_change
from aggregation.estimation.collisions import collision_variance, null_collisions, shared_buckets
from aggregation.estimation.comparison import Differences, compare
from aggregation.estimation.consistency import consistent_counts
from aggregation.estimation.difference import Side
from aggregation.estimation.intervals import adjusted_level, intervals
from aggregation.estimation.multiple_testing import benjamini_hochberg
from aggregation.estimation.second_moment import plug_in_f2
from aggregation.estimation.summaries import GroupSummary, Summary, summarize, summarize_groups

__all__ = [
    "Differences",
    "GroupSummary",
    "Side",
    "Summary",
    "Windows",
    "adjusted_level",
    "benjamini_hochberg",
    "collision_variance",
    "compare",
    "consistent_counts",
    "intervals",
    "log_pmf",
    "log_pmf_of_each",
    "null_collisions",
    "plug_in_f2",
    "shared_buckets",
    "summarize",
    "summarize_groups",
    "upper_bound_below_threshold",
    "upper_bounds_below_threshold",
    "upper_quantile",
    "upper_tail",
    "variance_of_change",
    "widened_quantile",
]
