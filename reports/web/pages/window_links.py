"""Which windows one may choose, and which lie before and after the one shown."""

import datetime
from dataclasses import dataclass, replace

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range
from reports.models import Histogram
from reports.results import HistogramView
from reports.web.pages.addresses import link
from reports.web.pages.choices import Choice

LENGTHS = (1, 7, 28, 90, 365)
# More searched windows than these are reached one after the other, or through the two dates.
LINKED_SEARCHES = 7


@dataclass(frozen=True)
class Neighbour:
    """The window before or after, and its days in words."""

    link: str
    days: str


def windows(view: HistogramView) -> list[Choice]:
    """Links to windows by their length, if there is more than one day to choose from."""
    query, span = view.query, view.span
    if span is None or (span.days == 1 and not query.has_window):
        return []
    lengths = sorted({query.days or 1, *(length for length in LENGTHS if length <= span.days)})
    links = [
        Choice(link(replace(query, first=None, days=length), view), _length(length), length == query.days)
        for length in lengths
    ]
    everything = link(replace(query, first=None, last=None, days=None), view)
    return [
        *links,
        Choice(everything, _("All days"), not query.has_window),
        # The two dates are fields of the form.
        Choice("#from", _("Custom"), query.has_window and query.days is None),
    ]


def _length(days: int) -> str:
    return ngettext("%(days)s day", "%(days)s days", days) % {"days": days}


def later_and_earlier(view: HistogramView) -> tuple[Neighbour | None, Neighbour | None]:
    """The windows before and after the one shown; none beside all days."""
    if view.discovery is not None:
        return _searched_beside(view)
    query, span = view.query, view.span
    if span is None or not query.has_window:
        return None, None
    # Newer days may be too few to be shown.
    newest = span.last if view.histogram is None else view.histogram.last_day
    first, last = query.bounds(newest)
    nothing_yet = first is None and last is not None and last < span.first
    # An end that is open must not lie on the far side of the other.
    first = first or min(span.first, last or newest)
    last = last or max(newest, first)
    length = last - first
    earlier = later = None
    if first > span.first:
        end = min(first - _DAY, span.last)
        earlier = _beside(view, end - length, end)
    if last < span.last:
        end = span.first if nothing_yet else last + length + _DAY
        # A window that is given by its length has all its days: the newest one may overlap with this.
        later = _beside(view, span.last - length, None) if query.days and end >= span.last else None
        later = later or _beside(view, end - length, end)
    return earlier, later


_DAY = datetime.timedelta(days=1)


def _beside(view: HistogramView, first: datetime.date, last: datetime.date | None) -> Neighbour:
    """A window as long as the one shown; without a last day it ends on the newest."""
    query = view.query
    there = replace(query, last=last) if query.days else replace(query, first=first, last=last)
    newest = view.span.last if last is None and view.span is not None else last
    return Neighbour(link(there, view), day_range(first, newest or first))


def searched_windows(view: HistogramView) -> list[Choice]:
    """Links to the windows in which words were looked for, the newest first."""
    found = list(_searched(view)[:LINKED_SEARCHES])
    if len(found) < 2:
        return []
    query, shown = view.query, view.histogram
    newest = not query.has_window
    links = [Choice(link(replace(query, first=None, last=None), view), _("Newest"), newest)]
    for histogram in found:
        there = link(replace(query, first=histogram.first_day, last=histogram.last_day), view)
        links.append(Choice(there, _days(histogram), not newest and histogram == shown))
    return links


def _searched_beside(view: HistogramView) -> tuple[Neighbour | None, Neighbour | None]:
    shown = view.histogram
    if shown is None:
        return None, None
    same = Q(last_day=shown.last_day)
    before = _searched(view).filter(Q(last_day__lt=shown.last_day) | same & Q(first_day__gt=shown.first_day))
    after = _searched(view).filter(Q(last_day__gt=shown.last_day) | same & Q(first_day__lt=shown.first_day))
    return _searched_neighbour(view, before.first()), _searched_neighbour(view, after.last())


def _searched_neighbour(view: HistogramView, found: Histogram | None) -> Neighbour | None:
    if found is None:
        return None
    there = replace(view.query, first=found.first_day, last=found.last_day)
    return Neighbour(link(there, view), _days(found))


def _searched(view: HistogramView) -> QuerySet[Histogram]:
    if view.version is None:
        return Histogram.objects.none()
    published = view.version.histograms.ungrouped().filter(locale=view.locale)
    return published.newest_first()


def _days(histogram: Histogram) -> str:
    return day_range(histogram.first_day, histogram.last_day)
