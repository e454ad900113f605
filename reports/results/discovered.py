"""Windows in which words were looked for. A page shows what runs published, and makes none of its own."""

import datetime
from dataclasses import dataclass
from typing import TypeAlias

from django.db.models import Exists, OuterRef, Q, Sum

from reports.models import Histogram, ReadOut, Run, Version
from reports.models.uploads import utc_today
from reports.results.publish_words import may_be_published
from reports.results.query import HistogramQuery
from reports.results.states import State
from reports.windows import first_of_window, in_window

Days: TypeAlias = set[datetime.date]


def discovered_histogram(version: Version, locale: str, query: HistogramQuery) -> Histogram | None:
    """The words of the window asked for, or the newest."""
    published = version.histograms.filter(locale=locale, grouping="", replaced=False).select_related("discovery")
    published = published.order_by("-last_day", "first_day")
    if _is_newest(query):
        return published.first()
    if query.first is not None and query.last is not None:
        exact = published.filter(first_day=query.first, last_day=query.last).first()
        if exact is not None:
            return exact
    days = _days(version, locale, query)
    return next((found for found in published if _is_asked_for(found, days, query)), None)


def state_without_words(version: Version, locale: str, run: Run | None, query: HistogramQuery) -> State:
    """Why nothing is published; `run` is the latest if it is unfinished or failed."""
    days = _days(version, locale, query)
    if run is not None and (_is_newest(query) or _is_asked_for(run, days, query)):
        return State.FAILED if run.state == Run.State.FAILED else State.WAITING
    if not days:
        return State.NO_DATA
    if not _is_searched(version, days, query) or _has_more(version, locale, query):
        return State.WAITING if _is_newest(query) else State.NOT_SEARCHED
    if _is_newest(query):
        days &= days_to_search(version)
    # The minimum may have been lowered since, or a run been overtaken by another: a new one would publish.
    if days and may_be_published(version, locale, min(days), max(days)):
        return State.NOT_SEARCHED
    return State.BELOW_MINIMUM


def days_to_search(version: Version) -> Days:
    """The days in which words are looked for if nobody asks for others: the last few that have reports.

    Today is left out as long as no locale has enough reports for it to be told from the days before.
    """
    days = _days(version, None, HistogramQuery())
    today = utc_today()
    if today in days and len(days) > 1 and not _is_today_enough(version, today):
        days.remove(today)
    return {day for day in days if day >= first_of_window(max(days))} if days else days


def _is_today_enough(version: Version, today: datetime.date) -> bool:
    reports = version.shards.filter(day=today, stream__in=version.mechanism.report_streams).order_by().values("locale")
    enough = reports.annotate(reports=Sum("size")).filter(reports__gte=version.use_case.minimum_reports)
    return enough.exists()


@dataclass(frozen=True)
class Outcome:
    """What came of a finished run in a locale: the words published, or None if they may not be."""

    locale: str
    histogram: Histogram | None


def outcomes(run: Run) -> list[Outcome]:
    """Of each locale that has reports in the run's window, in the order of the version."""
    version, query = run.version, HistogramQuery(first=run.first_day, last=run.last_day)
    there = version.read_outs.filter(in_window(run.first_day, run.last_day), revision=None)
    found = set(there.values_list("locale", flat=True))
    return [
        Outcome(locale, discovered_histogram(version, locale, query)) for locale in version.locales if locale in found
    ]


def _is_newest(query: HistogramQuery) -> bool:
    return query.first is None and query.last is None


def _days(version: Version, locale: str | None, query: HistogramQuery) -> Days:
    """The days of the window that have reports, or had some, of a locale or of any."""
    window = in_window(query.first, query.last) & (Q(locale=locale) if locale is not None else Q())
    shards, read_outs = version.shards.filter(window), version.read_outs.filter(window)
    return {*shards.values_list("day", flat=True), *read_outs.values_list("day", flat=True)}


def _is_asked_for(found: Histogram | Run, days: Days, query: HistogramQuery) -> bool:
    """Whether it is about all of these days, and about none outside the window: a part must not pass for the whole."""
    if query.first is not None and found.first_day < query.first:
        return False
    if query.last is not None and query.last < found.last_day:
        return False
    return bool(days) and found.first_day <= min(days) and max(days) <= found.last_day


def _is_searched(version: Version, days: Days, query: HistogramQuery) -> bool:
    """Whether a run was about the window."""
    finished = version.runs.filter(state=Run.State.FINISHED)
    return any(_is_newest(query) or _is_asked_for(run, days, query) for run in finished)


def _has_more(version: Version, locale: str, query: HistogramQuery) -> bool:
    """Whether there are reports in the window that no run has sketched."""
    sketched = ReadOut.objects.filter(sealing=OuterRef("sealing"), locale=locale, revision=None)
    window = in_window(query.first, query.last) & Q(locale=locale)
    return version.shards.filter(window).exclude(Exists(sketched)).exists()


def refused_since(histogram: Histogram) -> tuple[datetime.date, datetime.date] | None:
    """The window of the latest run that found newer reports than these, if nothing of them could be published since.

    None if there are no newer ones, or nobody has looked, or a newer list is published.
    """
    version, locale = histogram.version, histogram.locale
    newer = version.histograms.filter(locale=locale, grouping="", replaced=False, last_day__gt=histogram.last_day)
    if newer.exists():
        return None
    inside = Q(day__gte=OuterRef("first_day"), day__lte=OuterRef("last_day"), day__gt=histogram.last_day)
    reports = ReadOut.objects.filter(inside, version=version, locale=locale, revision=None)
    return version.runs.filter(Exists(reports), state=Run.State.FINISHED).values_list("first_day", "last_day").first()
