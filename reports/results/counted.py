"""Windows in which a dictionary was counted. They are made when somebody asks for them."""

import datetime

from django.db.models import Exists, Max, Min, OuterRef, Q

from reports.models import Histogram, ReadOut, Run, Version
from reports.results.publish import publish_window
from reports.results.query import HistogramQuery
from reports.results.states import State
from reports.windows import in_window


def counted_histogram(version: Version, locale: str, query: HistogramQuery) -> Histogram | None:
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


def state_without_counts(version: Version, locale: str, run: Run | None, query: HistogramQuery) -> State:
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
