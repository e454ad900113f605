"""The two sides of a comparison, or why one of them is missing."""

import datetime
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from reports.models import Histogram, Version
from reports.publication import Days, Window
from reports.results.availability import State
from reports.results.comparison.comparison_windows import Found, find_windows
from reports.results.comparison.query import OTHER, ComparisonQuery
from reports.results.discovered import state_without_words
from reports.results.query import HistogramQuery, NotInVersion
from reports.results.versions import address_locale, refuse_locale


@dataclass(frozen=True)
class Side:
    """A locale and the window of it that was asked for, or is assumed."""

    locale: str
    query: HistogramQuery
    state: State
    histogram: Histogram | None = None
    # Of a dictionary; and the days asked for that are in none of its periods.
    window: Window | None = None
    left_out: tuple[Days, ...] = ()

    @property
    def days(self) -> tuple[datetime.date | None, datetime.date | None]:
        """Return the days of the histogram; without one, the requested days."""
        if self.histogram is None:
            return self.query.first, self.query.last
        return self.histogram.first_day, self.histogram.last_day

    def exact(self, version: Version) -> HistogramQuery:
        """Locale and window, said in full."""
        locale = address_locale(version, self.locale)
        if self.histogram is None:
            return replace(self.query, locale=locale)
        return HistogramQuery(locale=locale, first=self.histogram.first_day, last=self.histogram.last_day)


def find_sides(version: Version, query: ComparisonQuery) -> tuple[Side, Side]:
    """What a query compares.

    Raises `NotInVersion` for a locale that this version does not have, and `QueryError` for one that none has.
    """
    locales = _locales(version, query)
    _refuse_lengths(version, query)
    first, second = (
        Side(locale, each.query, _state(version, locale, each), each.histogram, each.window, each.left_out)
        for locale, each in zip(locales, find_windows(version, locales, query), strict=True)
    )
    return first, second


def _state(version: Version, locale: str, found: Found) -> State:
    if found.histogram is not None:
        return State.SHOWN
    return State.NOT_YET if version.discovery is None else state_without_words(version, locale, found.query)


def asked_sides(version: Version, query: ComparisonQuery) -> tuple[Side, Side]:
    """The sides as far as a query names them, without their histograms. Raises as `find_sides` does."""
    locales = _locales(version, query)
    _refuse_lengths(version, query)
    return Side(locales[0], query.first, State.NOT_YET), Side(locales[1], query.second, State.NOT_YET)


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
