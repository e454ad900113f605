"""Windows that there is something to see of: release periods, or the windows of lists of words."""

import datetime
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from django.db.models import Max, Min, QuerySet

from reports.kinds import ByKind
from reports.models import Histogram, Period, UseCase, Version
from reports.results.query import HistogramQuery
from reports.results.versions import asked_version, check_locale


class ShownLocale(NamedTuple):
    """A locale, and the first and the last day of which something is shown, if anything is."""

    locale: str
    first_day: datetime.date | None
    last_day: datetime.date | None


def _periods(version: Version) -> QuerySet[Period]:
    return version.periods.shown(version.use_case.minimum_reports)


def _word_lists(version: Version) -> QuerySet[Histogram]:
    return version.histograms.ungrouped()


_WINDOWS: Final = ByKind[Callable[[Version], QuerySet[Any]]](counting=_periods, discovery=_word_lists)


def shown_locales(use_case: UseCase, number: int | None) -> list[ShownLocale]:
    """Return the locales of a version, or of the one that is shown if none is named. Raises `QueryError`."""
    version = asked_version(use_case, number)
    if version is None:
        return []
    spans = (
        _WINDOWS.of(version)(version).order_by().values("locale").annotate(first=Min("first_day"), last=Max("last_day"))
    )
    found = {row["locale"]: ShownLocale(row["locale"], row["first"], row["last"]) for row in spans}
    return [found.get(locale, ShownLocale(locale, None, None)) for locale in version.locales]


def shown_windows(use_case: UseCase, query: HistogramQuery) -> QuerySet[Any]:
    """Return the windows of a version and locale, in the order of their days. Raises `QueryError`."""
    version = asked_version(use_case, query.version)
    if version is None:
        return Period.objects.none()
    locale = query.locale or version.locales[0]
    check_locale(version, locale)
    return _WINDOWS.of(version)(version).filter(locale=locale).order_by("first_day", "last_day", "pk")
