"""Windows in which words are looked for, and what came of it."""

import datetime
from collections import Counter
from dataclasses import dataclass

from reports.kinds import first_of_window
from reports.models import Histogram, Run, Version
from reports.models.uploads import utc_today
from reports.publication import Window, periods_of
from reports.runs.available import days_with_reports


def searched_window(version: Version, locale: str, first: datetime.date, last: datetime.date) -> Window | None:
    """Return the periods that a run over these days looks for words in: those inside, or else the newest one."""
    periods = periods_of(version, [locale])[locale]
    window = periods.inside(first, last)
    if window is None:
        newest = periods.newest(last)
        if newest is not None and newest.last_day >= first:
            window = periods.inside(newest.first_day, newest.last_day)
    return window


def is_searched(window: Window) -> bool:
    """Tell whether a list of words exists for exactly these periods."""
    lists = window.version.histograms.ungrouped().filter(locale=window.locale, made_of=window.made_of)
    return lists.filter(first_day=window.first_day, last_day=window.last_day).exists()


def days_to_search(version: Version) -> set[datetime.date]:
    """Return the days of a search for words that names none: the last few that have reports.

    Today is left out as long as no locale has enough reports for it to be told from the days before.
    """
    days = days_with_reports(version)
    today = utc_today()
    if today in days and len(days) > 1 and not _is_today_enough(version, today):
        days.remove(today)
    return {day for day in days if day >= first_of_window(max(days))} if days else days


def _is_today_enough(version: Version, today: datetime.date) -> bool:
    reports: Counter[str] = Counter()
    for (locale, stream), size in version.shards.filter(day=today).sizes().items():
        if stream in version.mechanism.report_streams:
            reports[locale] += size
    return max(reports.values(), default=0) >= version.use_case.minimum_reports


@dataclass(frozen=True)
class LocaleOutcome:
    """Outcome of a finished run in a locale: the words published, or None if they may not be."""

    locale: str
    histogram: Histogram | None


def outcomes(run: Run) -> list[LocaleOutcome]:
    """Return the outcome for each locale with reports in the run's window, in the version's order."""
    version = run.version
    there = version.read_outs.filter(day__range=(run.first_day, run.last_day))
    found = set(there.order_by().values_list("locale", flat=True).distinct())
    return [LocaleOutcome(locale, _list_of(run, locale)) for locale in version.locales if locale in found]


def _list_of(run: Run, locale: str) -> Histogram | None:
    window = searched_window(run.version, locale, run.first_day, run.last_day)
    if window is None:
        return None
    lists = run.version.histograms.ungrouped().filter(locale=locale).select_related("discovery")
    return lists.filter(first_day=window.first_day, last_day=window.last_day).first()
