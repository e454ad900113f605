"""Windows in which a dictionary was counted. They are made when somebody asks for them."""

import datetime
from dataclasses import dataclass

from django.db.models import Exists, F, Max, Min, OuterRef, Q, QuerySet

from reports.devices_waiting import enough_days
from reports.models import Histogram, ReadOut, Run, Version
from reports.results.publish import publish_window
from reports.results.query import HistogramQuery
from reports.results.states import State
from reports.windows import in_window


@dataclass(frozen=True)
class Span:
    """The first and the last day that have counts."""

    first: datetime.date
    last: datetime.date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1


def counted_span(
    version: Version, locale: str, first: datetime.date | None = None, last: datetime.date | None = None
) -> Span | None:
    """Of all days, or of those from the first to the last."""
    read = ReadOut.objects.filter(in_window(first, last), version=version, locale=locale)
    ends = read.aggregate(first=Min("day"), last=Max("day"))
    return None if ends["first"] is None else Span(ends["first"], ends["last"])


def histogram_within(span: Span | None, version: Version, locale: str, query: HistogramQuery) -> Histogram | None:
    """The published histogram of the window, which is made now if it may be and nobody asked before.

    `span` has all days with counts.
    """
    published = _published(version, locale)
    found = _of_window(version, locale, query, span)
    if found is None and query.first is None and query.last is None:
        # The newest days may be too few to be shown yet: the widest window before them is.
        found = published.order_by("-last_day", "first_day").first()
        if found is not None and query.days is not None:
            found = _of_window(version, locale, query, Span(found.first_day, found.last_day))
    if found is None and query.days is not None and query.days > 1:
        found = _instead(published, query)
    return found


def _published(version: Version, locale: str) -> QuerySet[Histogram]:
    return version.histograms.filter(locale=locale, grouping="", replaced=False).select_related("revision")


def _instead(published: QuerySet[Histogram], query: HistogramQuery) -> Histogram | None:
    """For a length that may not be published: the newest week of the calendar that is, or all days."""
    if query.last is not None:
        published = published.filter(last_day__lte=query.last)
    newest = published.order_by("-last_day", "first_day")
    week = newest.filter(last_day__iso_week_day=7, first_day=F("last_day") - datetime.timedelta(days=6)).first()
    return week if week is not None or query.last is not None else newest.first()


def _of_window(version: Version, locale: str, query: HistogramQuery, span: Span | None) -> Histogram | None:
    """The histogram of what is asked for, if these are the days there are."""
    first, last = query.bounds(span.last if span is not None else None)
    if span is not None:
        first, last = first or span.first, last or span.last
    if first is None or last is None or first > last:
        return None
    published = _published(version, locale)
    found = published.filter(first_day=first, last_day=last).first()
    if found is not None:
        return found
    # Under the bounds of the days in it, so that every way to ask for the same days is one window.
    ends = counted_span(version, locale, first, last)
    if ends is None:
        return None
    if (ends.first, ends.last) != (first, last):
        found = published.filter(first_day=ends.first, last_day=ends.last).first()
    if found is not None or not (query.days is None or _by_themselves(version, locale, ends)):
        return found
    # Nobody waits for a page: while a run publishes, there is what there was.
    return publish_window(version, locale, ends.first, ends.last, wait=False)


def _by_themselves(version: Version, locale: str, span: Span) -> bool:
    """Whether each of these days is published, or there is but one.

    Windows given by their length are other days tomorrow: if their days are too few by themselves, each of them would
    rule out those that overlap with it, for good. Nobody who asks for a length means to decide that.
    """
    if span.days == 1:
        return True
    read = ReadOut.objects.filter(in_window(span.first, span.last), version=version, locale=locale).order_by()
    shown = _published(version, locale).filter(first_day=F("last_day"), last_day=OuterRef("day"))
    return not read.exclude(Exists(shown)).exists()


def state_without_counts(version: Version, locale: str, run: Run | None, query: HistogramQuery) -> State:
    """Why nothing is published of a window that is given by its ends; `run` is the latest, unfinished or failed."""
    window = in_window(query.first, query.last) & Q(locale=locale)
    read = ReadOut.objects.filter(
        sealing=OuterRef("sealing"), locale=locale, revision__in=version.dictionary_revisions.order_by("-number")[:1]
    )
    is_waiting = version.shards.filter(window).exclude(Exists(read)).exists()
    is_known = is_waiting or version.read_outs.filter(window).exists()
    if not is_known and not _will_be_sealed(version, locale, run, query):
        return State.NO_DATA
    if run is not None:
        return State.FAILED if run.state == Run.State.FAILED else State.WAITING
    return State.WAITING if is_waiting else State.BELOW_MINIMUM


def _will_be_sealed(version: Version, locale: str, run: Run | None, query: HistogramQuery) -> bool:
    """Whether a run will seal records of devices in the window: until it is planned there is no shard of them."""
    if run is None or run.planned_at is not None:
        return False
    first, last = query.first or datetime.date.min, query.last or datetime.date.max
    sealed = enough_days(version, run.first_day, run.last_day)
    return any(locale in locales for day, locales in sealed.items() if first <= day <= last)
