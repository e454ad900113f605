"""Is a batch what honest devices would have sent? Tests with exact, stated chances of a false alarm."""

from .findings import Finding
from .overlap import judge_overlap, judge_part
from .poisoning import Effect, MissingNoise, effect_of_fakes, missing_noise
from .screening import FALSE_ALARM_RATE, screen

__all__ = [
    "FALSE_ALARM_RATE",
    "Effect",
    "Finding",
    "MissingNoise",
    "effect_of_fakes",
    "judge_overlap",
    "judge_part",
    "missing_noise",
    "screen",
]
