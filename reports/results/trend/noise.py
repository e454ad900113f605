"""Whether days of a locale are so noisy that its trend is better read in weeks."""

from typing import Final

from django.db.models import F

from reports.models import HistogramEntry, Version
from reports.results.caching import cached
from reports.results.counted import Span
from reports.results.trend.windows import published

# An interval that reaches further than this part of the estimate, to either side, hides most changes.
NOISY: Final = 0.1
# Of fewer days there would be hardly a line.
FEWEST_DAYS: Final = 28


def days_are_noisy(version: Version, locale: str, span: Span | None) -> bool:
    """Whether the interval of the largest element of the newest day is wide, if the span has weeks to show instead."""
    if span is None or (span.last - span.first).days + 1 < FEWEST_DAYS:
        return False
    return cached(version.use_case, "noisy", f"{version.pk}:{locale}", lambda: _is_noisy(version, locale))


def _is_noisy(version: Version, locale: str) -> bool:
    days = published(version, [locale]).filter(first_day=F("last_day")).order_by("-last_day").values("pk")
    largest = HistogramEntry.objects.filter(histogram__in=days[:1], rank=1).first()
    # Without one, days show nothing at all.
    return largest is None or largest.adjusted_upper - largest.adjusted_lower > 2 * NOISY * largest.estimate
