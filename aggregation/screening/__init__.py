"""Is a batch what honest devices would have sent? Tests with exact, stated chances of a false alarm."""

from aggregation.screening.effect import Effect, effect_of_fakes
from aggregation.screening.findings import Finding
from aggregation.screening.screening import FALSE_ALARM_RATE, screen

__all__ = ["FALSE_ALARM_RATE", "Effect", "Finding", "effect_of_fakes", "screen"]
