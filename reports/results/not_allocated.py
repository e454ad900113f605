"""Share of all elements but those that are shown: one number with its interval."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from aggregation.estimation import Estimator, Remainder, remainder
from reports.kinds import ByKind, puzzle_of
from reports.models import Histogram
from reports.results.estimating import dictionary_estimator
from reports.results.histogram_rows import HistogramRow
from reports.results.provenance import CONFIDENCE
from reports.results.query import HistogramQuery


def not_allocated(
    histogram: Histogram, rows: Sequence[HistogramRow], query: HistogramQuery, *, total: int, whole: bool
) -> Remainder | None:
    """Return the reports about everything but these rows; None where they are not the largest of all.

    `total` is how many entries there are, and `whole` whether all elements of the dictionary are counted.
    """
    if histogram.threshold is None or query.is_narrow or query.is_about_words or query.values:
        return None
    shown = np.array([row.entry.estimate for row in rows])
    if not len(shown) or max(row.entry.rank for row in rows) != len(shown):
        return None
    # Entries above the threshold that are not shown are used only by being no larger than those that are.
    cut = histogram.threshold if len(shown) == total else float(shown.min())
    estimator = _ESTIMATORS.of(histogram.version)(histogram, whole)
    return remainder(estimator, shown, histogram.n, histogram.f2, cut, CONFIDENCE)


def _of_dictionary(histogram: Histogram, whole: bool) -> Estimator:
    return dictionary_estimator(histogram.version, histogram.revision, whole=whole)


def _of_words(histogram: Histogram, _whole: bool) -> Estimator:
    mechanism = puzzle_of(histogram.version)
    return mechanism.word_estimator(histogram.n, mechanism.word_reports(histogram.n, histogram.discovery.reports))


_ESTIMATORS: Final = ByKind[Callable[[Histogram, bool], Estimator]](counting=_of_dictionary, discovery=_of_words)
