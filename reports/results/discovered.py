"""Lists of words that runs made: a page makes none of its own."""

from reports.models import Histogram, Version
from reports.publication import window_of
from reports.results.availability import State
from reports.results.query import HistogramQuery


def discovered_histogram(version: Version, locale: str, query: HistogramQuery) -> Histogram | None:
    """Return the words of the window asked for, or the newest."""
    lists = version.histograms.ungrouped().filter(locale=locale).newest_first().select_related("discovery")
    if query.first is None and query.last is None:
        return lists.first()
    if query.first is not None and query.last is not None:
        exact = lists.filter(first_day=query.first, last_day=query.last).first()
        if exact is not None:
            return exact
    window = window_of(version, locale, query.first, query.last)
    return None if window is None else lists.filter(first_day=window.first_day, last_day=window.last_day).first()


def state_without_words(version: Version, locale: str, query: HistogramQuery) -> State:
    """Say why there is no list of words."""
    window = window_of(version, locale, query.first, query.last)
    return State.NOT_YET if window is None else State.NOT_SEARCHED
