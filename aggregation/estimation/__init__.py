"""What may be said of counts: estimates, errors, intervals, thresholds, multiple testing, and differences."""

from .binomial import log_pmf, log_pmf_of_each, upper_quantile, upper_tail, widened_quantile
from .bounds import upper_bound_below_threshold
from .change import Windows, variance_of_change
from .collisions import collision_variance, null_collisions, shared_buckets
from .comparison import Differences, compare
from .consistency import consistent_counts
from .detection_power import passing_probability, smallest_passing
from .difference import Side
from .estimators import Estimator, Members, Reports, Squares
from .intervals import adjusted_level, intervals
from .multiple_testing import benjamini_hochberg
from .second_moment import plug_in_f2
from .summaries import GroupSummary, Summary, summarize, summarize_groups

__all__ = [
    "Differences",
    "Estimator",
    "GroupSummary",
    "Members",
    "Reports",
    "Side",
    "Squares",
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
    "passing_probability",
    "plug_in_f2",
    "shared_buckets",
    "smallest_passing",
    "summarize",
    "summarize_groups",
    "upper_bound_below_threshold",
    "upper_quantile",
    "upper_tail",
    "variance_of_change",
    "widened_quantile",
]
