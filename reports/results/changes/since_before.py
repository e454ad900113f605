"""Changes of what a histogram lists, since the window before: by the same test as what changed in a use case."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final, NamedTuple

from reports.kinds import ByKind
from reports.publication import Days
from reports.results.caching import cached
from reports.results.changes.change_rows import ChangeRow, judged, rows_of_each
from reports.results.changes.pairs import Pair, with_what_is_not_counted
from reports.results.comparison import earlier_list
from reports.results.histogram_view import HistogramView
from reports.results.histograms import histograms_of
from reports.results.listed import listed_histograms, listed_words

_DAY: Final = timedelta(days=1)


class SinceBefore(NamedTuple):
    """The days of the window before, and by element what has changed since: of all that is listed in either."""

    days: Days
    changes: Mapping[str, ChangeRow]


def since_before(view: HistogramView) -> SinceBefore | None:
    """Compare the window of a view with as many days before; None where these show nothing, or groups are shown."""
    histogram = view.histogram
    if histogram is None or view.grouping is not None or view.version is None:
        return None
    return cached(view.use_case, "since-before", f"{histogram.pk}:{histogram.made_of}", lambda: _compared(view))


def _compared(view: HistogramView) -> SinceBefore | None:
    pair = _PAIRS.of(view.version)(view)
    if pair is None or pair.before is None:
        return None
    rows = judged(rows_of_each([pair])[0])
    before = pair.before.histogram
    return SinceBefore((before.first_day, before.last_day), {row.row.element: row for row in rows})


def _windows(view: HistogramView) -> Pair | None:
    now, periods, histogram = view.window, view.periods, view.histogram
    if now is None or periods is None or histogram is None or histogram.revision is None:
        return None
    last = now.first_day - _DAY
    before = periods.inside(last - (now.last_day - now.first_day), last)
    if before is None:
        return None
    revision = histogram.revision
    (earlier,) = histograms_of([(before, revision)])
    here, there = listed_histograms([(now, revision), (before, revision)], [histogram, earlier])
    pair = Pair(view.locale, now.days, before.days, here, there)
    return with_what_is_not_counted(pair, {(now.version.pk, view.locale): periods})


def _lists(view: HistogramView) -> Pair | None:
    if view.version is None or view.histogram is None:
        return None
    before = earlier_list(view.version, view.histogram)
    if before is None or before.last_day >= view.histogram.first_day:
        return None
    here, there = listed_words([(view.version, view.histogram), (view.version, before)])
    now, then = ((each.first_day, each.last_day) for each in (view.histogram, before))
    return Pair(view.locale, now, then, here, there)


_PAIRS: Final = ByKind[Callable[[HistogramView], Pair | None]](counting=_windows, discovery=_lists)
