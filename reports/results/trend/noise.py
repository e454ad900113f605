"""Whether days of a locale are so noisy that its trend is better read in weeks."""

import datetime
from typing import Final

from reports.models import Version
from reports.publication import window_of
from reports.results.caching import cached
from reports.results.counted import Span
from reports.results.histograms import histogram_of

# An interval that reaches further than this part of the estimate, to either side, hides most changes.
NOISY: Final = 0.1
# Of fewer days there would be hardly a line.
FEWEST_DAYS: Final = 28


def days_are_noisy(version: Version, locale: str, span: Span | None) -> bool:
    """Whether the interval of the largest element of the newest day is wide, if the span has weeks to show instead."""
    if span is None or (span.last - span.first).days + 1 < FEWEST_DAYS:
        return False
    return cached(version.use_case, "noisy", f"{version.pk}:{locale}", lambda: _is_noisy(version, locale, span.last))


def _is_noisy(version: Version, locale: str, day: datetime.date) -> bool:
    revision, window = version.current_dictionary(), window_of(version, locale, day, day)
    # Where days are released together, days by themselves show nothing.
    if revision is None or window is None:
        return True
    largest = histogram_of(window, revision).entries.filter(rank=1).first()
    return largest is None or largest.adjusted_upper - largest.adjusted_lower > 2 * NOISY * largest.estimate
