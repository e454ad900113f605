"""Answering a query: the histogram it means, the rows of it, or the reason why there is none."""

import datetime
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from django.db.models import Exists, Max, Min, OuterRef, Q
from django.utils.translation import gettext as _

from reports.models import Histogram, ReadOut, Run, UseCase, Version
from reports.results.document import histogram_document
from reports.results.groupings import Grouping, groupings
from reports.results.publish import publish_grouping, publish_window
from reports.results.query import HistogramQuery, QueryError
from reports.results.rows import Row, rows_of
from reports.windows import in_window


class State(StrEnum):
    """Why there is, or is not, something to see."""

    SHOWN = "shown"
    NO_DATA = "no-data"
    WAITING = "waiting"
    PUBLISHING = "publishing"
    BELOW_MINIMUM = "below-minimum"
    NONE_ABOVE = "none-above-threshold"
    FAILED = "failed"


@dataclass(frozen=True)
class HistogramView:
    """What there is to see for a query. `run` is the unfinished or failed run, if that is the latest."""

    use_case: UseCase
    version: Version | None
    query: HistogramQuery
    locale: str
    state: State
    histogram: Histogram | None = None
    rows: tuple[Row, ...] = ()
    # Of all entries, whether the query asks for them or not.
    total: int = 0
    run: Run | None = None
    # How the histogram may be grouped, and how it is.
    groupings: tuple[Grouping, ...] = ()
    grouping: Grouping | None = None

    @cached_property
    def default_version(self) -> Version | None:
        """The version that would be shown if the query named none."""
        return self.version if self.query.version is None else default_version(self.use_case)

    def document(self) -> dict[str, Any] | None:
        """What is shown, ready to be written as JSON or CSV; None if nothing is published."""
        if self.histogram is None:
            return None
        return histogram_document(self.histogram, [row.entry for row in self.rows])


def histogram_view(use_case: UseCase, query: HistogramQuery) -> HistogramView:
    """Find what a query means. Raises `QueryError` for what the use case does not have."""
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
    elements = _histogram(version, locale, query)
    revision = elements.revision if elements is not None else version.current_dictionary()
    if revision is not None:
        revision.version = version
    if elements is not None:
        elements.version = version
    available = tuple(groupings(revision)) if revision is not None else ()
    grouping = _grouping(available, query)
    histogram = publish_grouping(elements, grouping) if elements is not None and grouping else elements
    if histogram is None:
        # Elements without their groups are published already: somebody is just making or replacing them.
        state = State.PUBLISHING if elements is not None else _state_without(version, locale, run, query)
        return HistogramView(use_case, version, query, locale, state, run=run, groupings=available, grouping=grouping)
    histogram.version = version
    rows = rows_of(version, histogram, query)
    _check_category(histogram, query, rows)
    total = histogram.entries.count()
    state = State.SHOWN if total else State.NONE_ABOVE
    return HistogramView(use_case, version, query, locale, state, histogram, rows, total, run, available, grouping)


def _grouping(available: tuple[Grouping, ...], query: HistogramQuery) -> Grouping | None:
    found = next((grouping for grouping in available if grouping.name == query.group), None)
    if query.group and found is None:
        raise QueryError("group", _("The dictionary of this version has nothing to group in this way."))
    return found


def _check_category(histogram: Histogram, query: HistogramQuery, rows: tuple[Row, ...]) -> None:
    """A category may have nothing above the threshold, but it must be one."""
    if query.category and not rows and not histogram.revision.entries.filter(category=query.category).exists():
        raise QueryError("category", _("The dictionary of this version does not have this category."))


def default_version(use_case: UseCase) -> Version | None:
    """The version of a query that names none: a new version takes over when it has something to show."""
    published = Exists(Histogram.objects.filter(version=OuterRef("pk"), replaced=False))
    versions = use_case.versions.exclude(state=Version.State.DRAFT).annotate(published=published)
    return versions.order_by("-published", "-number").first()


def _version(use_case: UseCase, query: HistogramQuery) -> Version | None:
    if query.version is None:
        return default_version(use_case)
    # Nobody has ever reported under a draft, and only those who define the use case know of it.
    version = use_case.versions.exclude(state=Version.State.DRAFT).filter(number=query.version).first()
    if version is None:
        raise QueryError("version", _("The use case does not have this version."))
    return version


def _histogram(version: Version, locale: str, query: HistogramQuery) -> Histogram | None:
    """The published histogram of the window, which is made now if it may be and nobody asked before."""
    published = version.histograms.filter(locale=locale, grouping="", replaced=False).select_related("revision")
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
