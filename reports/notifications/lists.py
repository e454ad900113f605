"""The histograms that a message is about, and earlier ones, which they are compared with."""

import datetime
from typing import Final, NamedTuple

from reports.models import Histogram

# The newest are delivered of a longer backlog.
MOST_DELIVERED: Final = 7
DAY: Final = datetime.timedelta(days=1)
WEEK: Final = 7 * DAY


class Lists(NamedTuple):
    """Histograms of a locale, the newest first: those since the last message, and those before."""

    since: list[Histogram]
    before: list[Histogram]

    def earlier_than(self, histogram: Histogram) -> list[Histogram]:
        """Return those that end before another begins, the newest first."""
        return [each for each in (*self.since, *self.before) if each.last_day < histogram.first_day]
