"""Estimation of counts: errors, intervals, thresholds, multiple testing, and differences."""

from .binomial import log_pmf, log_pmf_of_each, upper_quantile, upper_tail, widened_quantile
from .bounds import upper_bound_below_threshold
from .change import Windows, variance_of_change
from .collisions import collision_variance, null_collisions, shared_buckets
from .comparison import Differences, compare
from .consistency import consistent_counts
from .contrast import Contrasts, contrast
from .correction import MOST_LOOK_UPS, Collisions, Corrected
from .detection_power import detection_power, smallest_detectable
from .difference import PublishedSide, Side
from .estimators import Estimator, Members, Reports, SecondMoment
from .intervals import adjusted_level, intervals
from .multiple_testing import benjamini_hochberg, beside_intervals, excess_p_values
from .remainder import Remainder, remainder
from .second_moment import plug_in_f2
from .subsample import Subsampled
from .summaries import GroupSummary, Summary, summarize, summarize_groups

__all__ = [
    "MOST_LOOK_UPS",
    "Collisions",
    "Contrasts",
    "Corrected",
    "Differences",
    "Estimator",
    "GroupSummary",
    "Members",
    "PublishedSide",
    "Remainder",
    "Reports",
    "SecondMoment",
    "Side",
    "Subsampled",
    "Summary",
    "Windows",
    "adjusted_level",
    "benjamini_hochberg",
    "beside_intervals",
    "collision_variance",
    "compare",
    "consistent_counts",
    "contrast",
    "detection_power",
    "excess_p_values",
    "intervals",
    "log_pmf",
    "log_pmf_of_each",
    "null_collisions",
    "plug_in_f2",
    "remainder",
    "shared_buckets",
    "smallest_detectable",
    "summarize",
    "summarize_groups",
    "upper_bound_below_threshold",
    "upper_quantile",
    "upper_tail",
    "variance_of_change",
    "widened_quantile",
]
