"""Shares of a few elements over the last windows, as small as a line in a table."""

import datetime
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from reports.models import Histogram, HistogramEntries
from reports.results.histogram_view import HistogramView
from reports.results.trend.trend_kinds import TRENDS

# So far back from the last day of a histogram; the first where a trend opens in days.
_DAYS: Final = (28, 84)


class Recent(NamedTuple):
    """Shares by element, a place for each window of at most so many days; None where it shows none of an element."""

    step: int
    shares: Mapping[str, Sequence[float | None]]


def recent(view: HistogramView, histogram: Histogram, elements: Collection[str]) -> Recent:
    """Return shares of elements up to the last day of a histogram: by weeks where days are noisy, as trends open."""
    version, locale = histogram.version, histogram.locale
    kind = TRENDS.of(version)
    step = kind.opening_step(version, locale, view.span, weeks_if_noisy=True)
    first = histogram.last_day - datetime.timedelta(days=_DAYS[step > 1] - 1)
    slots = kind.slots(version, [locale], first, histogram.last_day, step)[locale]
    filled = [place for place, slot in enumerate(slots) if slot.histogram]
    published = [slot.histogram for slot in slots[filled[0] : filled[-1] + 1]] if filled else []
    place_of = {window.pk: place for place, window in enumerate(published) if window is not None}
    shares: dict[str, list[float | None]] = {element: [None] * len(published) for element in elements}
    windows = [window for window in published if window is not None]
    shown = shares.keys() - kind.hidden(version, locale)
    n_of = {window.pk: window.n for window in windows}
    for entries in HistogramEntries.objects.only("elements", "numbers").filter(pk__in=n_of):
        estimates = entries.column("estimate")
        for element in shown & entries.place_of.keys():
            shares[element][place_of[entries.pk]] = float(estimates[entries.place_of[element]]) / n_of[entries.pk]
    return Recent(step, shares)
