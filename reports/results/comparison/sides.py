"""The two published histograms that are compared, or why one of them is missing."""

import datetime
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from reports.models import Histogram, Run, Version
from reports.results.comparison.query import OTHER, ComparisonQuery
from reports.results.comparison.windows import find_windows
from reports.results.counted import counted_span, state_without_counts
from reports.results.discovered import state_without_words
from reports.results.publish import publish_window
from reports.results.query import HistogramQuery, NotInVersion
from reports.results.states import State
from reports.results.versions import address_locale, refuse_locale


@dataclass(frozen=True)
class Side:
    """A locale and the window of it that was asked for, or is assumed."""

    locale: str
    query: HistogramQuery
    state: State
    histogram: Histogram | None = None

    @property
    def days(self) -> tuple[datetime.date | None, datetime.date | None]:
        """Those of the histogram; without one those asked for."""
        if self.histogram is None:
            return self.query.first, self.query.last
        return self.histogram.first_day, self.histogram.last_day

    def exact(self, version: Version) -> HistogramQuery:
        """Locale and window, said in full."""
        locale = address_locale(version, self.locale)
        if self.histogram is None:
            return replace(self.query, locale=locale)
        return HistogramQuery(locale=locale, first=self.histogram.first_day, last=self.histogram.last_day)

    def of(self, histogram: Histogram) -> "Side":
        """The same with a histogram that was published anew."""
        return replace(self, histogram=histogram)


def find_sides(version: Version, query: ComparisonQuery, run: Run | None) -> tuple[Side, Side]:
    """What a query compares. `run` is the latest if it is unfinished or failed.

    Raises `NotInVersion` for a locale that this version does not have, and `QueryError` for one that none has.
    """
    locales = _locales(version, query)
    _refuse_lengths(version, query)
    first, second = find_windows(version, locales, query)
    sides = [
        Side(
            locale, window, State.SHOWN if histogram is not None else _why_not(version, locale, window, run), histogram
        )
        for locale, (window, histogram) in zip(locales, (first, second), strict=True)
    ]
    return sides[0], sides[1]


def asked_sides(version: Version, query: ComparisonQuery) -> tuple[Side, Side]:
    """The sides as far as a query names them, without their histograms. Raises as `find_sides` does."""
    locales = _locales(version, query)
    _refuse_lengths(version, query)
    return Side(locales[0], query.first, State.NO_DATA), Side(locales[1], query.second, State.NO_DATA)


def default_locales(version: Version, query: ComparisonQuery) -> tuple[str, str]:
    """The first of the version, and the first other than that of the first side, if there is another."""
    first = version.locales[0]
    compared = query.first.locale or first
    return first, next((locale for locale in version.locales if locale != compared), compared)


def _locales(version: Version, query: ComparisonQuery) -> tuple[str, str]:
    defaults = default_locales(version, query)
    found = (query.first.locale or defaults[0], query.second.locale or defaults[1])
    for prefix, locale in zip(("", OTHER), found, strict=True):
        if locale not in version.locales:
            refuse_locale(version.use_case, locale, f"{prefix}locale")
    return found


def _refuse_lengths(version: Version, query: ComparisonQuery) -> None:
    for prefix, side in (("", query.first), (OTHER, query.second)):
        if version.discovery is not None and side.days is not None:
            raise NotInVersion(f"{prefix}days", _("This version looks for words: its windows are those of its runs."))


# --- What keeps two histograms from being compared ---


def _why_not(version: Version, locale: str, window: HistogramQuery, run: Run | None) -> State:
    if version.discovery is not None:
        return state_without_words(version, locale, run, window)
    span = counted_span(version, locale)
    first, last = window.bounds(span.last if span is not None else None)
    return state_without_counts(version, locale, run, HistogramQuery(first=first, last=last))


def by_the_same_rules(version: Version, first: Histogram, second: Histogram) -> tuple[Histogram, Histogram] | None:
    """The two, published anew if one was counted with an earlier dictionary or another α; None if that does not help.

    Somebody else who publishes is not waited for. Words are published by runs alone.
    """
    if _rules(first) == _rules(second):
        return first, second
    if version.discovery is not None:
        return None
    anew = [publish_window(version, each.locale, each.first_day, each.last_day, wait=False) for each in (first, second)]
    if anew[0] is None or anew[1] is None or _rules(anew[0]) != _rules(anew[1]):
        return None
    return anew[0], anew[1]


def _rules(histogram: Histogram) -> tuple[int | None, float]:
    return histogram.revision_id, histogram.alpha
