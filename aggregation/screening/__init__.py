"""Tests of whether honest devices would have sent a batch, with exact, stated chances of a false alarm.

Mechanisms say in their modules `screening` what is tested; what the tests are made of is here.
"""

from ..registry import Effect, Finding, MissingNoise
from .agreement import judge_agreement
from .findings import of_counts
from .overlap import (
    COMPARED,
    LARGE_PART,
    SAMPLED,
    is_distinctive,
    judge_overlap,
    judge_part,
    likeliest_record,
    rank_keys,
    ranks,
)
from .part import effect_of_fakes, missing_noise
from .replays import can_be_recognised, judge_most_repeated, judge_repeats
from .screening import FALSE_ALARM_RATE, screen
from .summaries import Occupied, blocks, count_repeats, summarize_buckets, summarize_coordinates, summarize_vectors
from .tails import Count, bounded
from .uniformity import judge_evenness, judge_occupancy
from .vectors import judge_vectors

__all__ = [
    "COMPARED",
    "FALSE_ALARM_RATE",
    "LARGE_PART",
    "SAMPLED",
    "Count",
    "Effect",
    "Finding",
    "MissingNoise",
    "Occupied",
    "blocks",
    "bounded",
    "can_be_recognised",
    "count_repeats",
    "effect_of_fakes",
    "is_distinctive",
    "judge_agreement",
    "judge_evenness",
    "judge_most_repeated",
    "judge_occupancy",
    "judge_overlap",
    "judge_part",
    "judge_repeats",
    "judge_vectors",
    "likeliest_record",
    "missing_noise",
    "of_counts",
    "rank_keys",
    "ranks",
    "screen",
    "summarize_buckets",
    "summarize_coordinates",
    "summarize_vectors",
]
