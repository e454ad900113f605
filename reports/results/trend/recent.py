"""Shares of a few elements over the last windows, as small as a line in a table."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Final

from reports.models import Histogram
from reports.results.histogram_view import HistogramView
from reports.results.trend.trend_kinds import TRENDS

# So far back from the last day of a histogram; the first where a trend opens in days.
_DAYS: Final = (28, 84)


def recent(
    view: HistogramView, histogram: Histogram, shown: Mapping[str, float]
) -> Mapping[str, Sequence[float | None]]:
    """Return shares up to those that are shown, by element, a place for each window: None where it shows none.

    Windows are weeks where days are noisy, as a trend opens; the last is that of the histogram.
    """
    version, locale = histogram.version, histogram.locale
    kind = TRENDS.of(version)
    step = kind.opening_step(version, locale, view.span, weeks_if_noisy=True)
    first = histogram.last_day - datetime.timedelta(days=_DAYS[step > 1] - 1)
    slots = kind.slots(version, [locale], first, histogram.last_day, step)[locale]
    filled = [place for place, slot in enumerate(slots) if slot.histogram]
    published = [slot.histogram for slot in slots[filled[0] : filled[-1] + 1]] if filled else []
    if published and published[-1] is not None and published[-1].pk == histogram.pk:
        del published[-1]
    place_of = {window.pk: place for place, window in enumerate(published) if window is not None}
    shares: dict[str, list[float | None]] = {
        element: [None] * len(published) + [share] for element, share in shown.items()
    }
    windows = [window for window in published if window is not None]
    entries = kind.entries(version, locale, windows).filter(element__in=shown).order_by()
    n_of = {window.pk: window.n for window in windows}
    for key, element, estimate in entries.values_list("histogram", "element", "estimate"):
        shares[element][place_of[key]] = estimate / n_of[key]
    return shares
