"""Answering a query: the histogram it means, the rows of it, or the reason why there is none."""

import datetime
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import zip_longest
from typing import Any

from django.db.models import Exists, Max, Min, OuterRef, Q
from django.utils.translation import gettext as _

from reports.models import Histogram, HistogramEntry, ReadOut, Run, UseCase, Version
from reports.results.document import histogram_document
from reports.results.names import colourful, element_name, is_called, unpadded
from reports.results.publish import publish_window
from reports.results.query import HistogramQuery, QueryError
from reports.windows import in_window


class State(StrEnum):
    """Why there is, or is not, something to see."""

    SHOWN = "shown"
    NO_DATA = "no-data"
    WAITING = "waiting"
    BELOW_MINIMUM = "below-minimum"
    NONE_ABOVE = "none-above-threshold"
    FAILED = "failed"


@dataclass(frozen=True)
class Row:
    """A line of the table and a bar of the chart."""

    entry: HistogramEntry
    display: str
    name: str
    share: float
    # Whether the interval of the element before or after reaches into this one's: their order is then not certain.
    tied: bool


@dataclass(frozen=True)
class HistogramView:
    """What there is to see for a query. `run` is the unfinished or failed run, if that is the latest."""

    use_case: UseCase
    version: Version | None
    query: HistogramQuery
    locale: str
    state: State
    histogram: Histogram | None = None
    entries: tuple[HistogramEntry, ...] = ()
    run: Run | None = None

    @cached_property
    def all_rows(self) -> list[Row]:
        if self.histogram is None or self.version is None:
            return []
        rows = []
        tied_before = False
        for entry, following in zip_longest(self.entries, self.entries[1:]):
            tied_after = following is not None and following.adjusted_upper > entry.adjusted_lower
            tied, tied_before = tied_before or tied_after, tied_after
            name = element_name(self.version, entry.display)
            share = entry.estimate / self.histogram.n
            rows.append(Row(entry, colourful(entry.display), name, share, tied))
        return rows

    @cached_property
    def rows(self) -> list[Row]:
        """The rows that the query asks for: those that match the search, the top N of them, in its order."""
        rows = self.all_rows
        if self.query.search:
            rows = [row for row in rows if self._matches(row.entry)]
        rows = rows[: self.query.top]
        if self.query.sort in ("name", "-name"):
            rows.sort(key=lambda row: ((row.name or row.display).casefold(), row.entry.rank))
        return rows[::-1] if self.query.sort.startswith("-") else rows

    def document(self) -> dict[str, Any] | None:
        """What is shown, ready to be written as JSON or CSV; None if nothing is published."""
        if self.histogram is None:
            return None
        return histogram_document(self.histogram, [row.entry for row in self.rows])

    def _matches(self, entry: HistogramEntry) -> bool:
        if self.version is None:
            return False
        wanted = self.query.search.casefold()
        if wanted in entry.display.casefold() or wanted in unpadded(self.version, entry.element).casefold():
            return True
        return is_called(self.version, entry.display, wanted)


def histogram_view(use_case: UseCase, query: HistogramQuery) -> HistogramView:
    """Find what a query means. Raises `QueryError` for a version or locale that the use case does not have."""
    version = _version(use_case, query)
    if version is None:
        return HistogramView(use_case, None, query, "", State.NO_DATA)
    version.use_case = use_case
    locale = query.locale or version.locales[0]
    if locale not in version.locales:
        raise QueryError("locale", _("The use case does not have this locale."))
    run = version.runs.select_related("version").first()
    if run is not None and run.state == Run.State.FINISHED:
        run = None  # what it found is there, and it will find no more
    histogram = _histogram(version, locale, query)
    if histogram is None:
        return HistogramView(use_case, version, query, locale, _state_without(version, locale, run, query), run=run)
    entries = tuple(histogram.entries.order_by("rank"))
    state = State.SHOWN if entries else State.NONE_ABOVE
    return HistogramView(use_case, version, query, locale, state, histogram, entries, run)


def _version(use_case: UseCase, query: HistogramQuery) -> Version | None:
    if query.version is None:
        # A new version takes over when it has something to show.
        published = Exists(Histogram.objects.filter(version=OuterRef("pk"), replaced=False))
        versions = use_case.versions.exclude(state=Version.State.DRAFT).annotate(published=published)
        return versions.order_by("-published", "-number").first()
    version = use_case.versions.filter(number=query.version).first()
    if version is None:
        raise QueryError("version", _("The use case does not have this version."))
    return version


def _histogram(version: Version, locale: str, query: HistogramQuery) -> Histogram | None:
    """The published histogram of the window, which is made now if it may be and nobody asked before."""
    published = version.histograms.filter(locale=locale, replaced=False).select_related("revision")
    first, last = query.first, query.last
    if first is None or last is None:
        ends = ReadOut.objects.filter(version=version, locale=locale).aggregate(first=Min("day"), last=Max("day"))
        first, last = first or ends["first"], last or ends["last"]
    if first is None or last is None or first > last:
        return None
    found = published.filter(first_day=first, last_day=last).first()
    if found is None:
        found = _publish_missing(version, locale, first, last)
    if found is None and query.first is None and query.last is None:
        # The newest days may be too few to be shown yet: the widest window before them is.
        found = published.order_by("-last_day", "first_day").first()
    return found


def _publish_missing(version: Version, locale: str, first: datetime.date, last: datetime.date) -> Histogram | None:
    """Publish a window under the bounds of the days in it, so that every way to ask for the same days is one window."""
    days = ReadOut.objects.filter(version=version, locale=locale, day__range=(first, last))
    ends = days.aggregate(first=Min("day"), last=Max("day"))
    if ends["first"] is None:
        return None
    # Nobody waits for a page: while a run publishes, there is what there was.
    return publish_window(version, locale, ends["first"], ends["last"], wait=False)


def _state_without(version: Version, locale: str, run: Run | None, query: HistogramQuery) -> State:
    if run is not None and run.state == Run.State.FAILED:
        return State.FAILED
    if run is not None:
        return State.WAITING
    window = in_window(query.first, query.last) & Q(locale=locale)
    read = ReadOut.objects.filter(
        sealing=OuterRef("sealing"), locale=locale, revision__in=version.dictionary_revisions.order_by("-number")[:1]
    )
    if version.shards.filter(window).exclude(Exists(read)).exists():
        return State.WAITING
    return State.BELOW_MINIMUM if version.read_outs.filter(window).exists() else State.NO_DATA
