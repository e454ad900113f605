"""Windows in which words were looked for. A page shows what runs published, and makes none of its own."""

import datetime
from typing import TypeAlias

from django.db.models import Exists, OuterRef, Q

from reports.models import Histogram, ReadOut, Run, Version
from reports.results.query import HistogramQuery
from reports.results.states import State
from reports.windows import in_window

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
    searched = _searched(version, days, query)
    if searched is None or _has_more(version, locale, searched, query):
        return State.WAITING if _is_newest(query) else State.NOT_SEARCHED
    return State.BELOW_MINIMUM


def _is_newest(query: HistogramQuery) -> bool:
    return query.first is None and query.last is None


def _days(version: Version, locale: str, query: HistogramQuery) -> Days:
    """The days of the window that have reports, or had some."""
    window = in_window(query.first, query.last) & Q(locale=locale)
    shards, read_outs = version.shards.filter(window), version.read_outs.filter(window)
    return {*shards.values_list("day", flat=True), *read_outs.values_list("day", flat=True)}


def _is_asked_for(found: Histogram | Run, days: Days, query: HistogramQuery) -> bool:
    """Whether it is about all of these days, and about none outside the window: a part must not pass for the whole."""
    if query.first is not None and found.first_day < query.first:
        return False
    if query.last is not None and query.last < found.last_day:
        return False
    return bool(days) and found.first_day <= min(days) and max(days) <= found.last_day


def _searched(version: Version, days: Days, query: HistogramQuery) -> Run | None:
    """The latest run that looked for words in the window."""
    finished = version.runs.filter(state=Run.State.FINISHED)
    return next((run for run in finished if _is_newest(query) or _is_asked_for(run, days, query)), None)


def _has_more(version: Version, locale: str, searched: Run, query: HistogramQuery) -> bool:
    """Whether there are reports that the run did not see. Days before its first are nothing to wait for."""
    sketched = ReadOut.objects.filter(sealing=OuterRef("sealing"), locale=locale, revision=None)
    window = in_window(searched.first_day, query.last) & Q(locale=locale)
    return version.shards.filter(window).exclude(Exists(sketched)).exists()
