"""Which days a trend may show: how many, and those before and after."""

import datetime
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range
from reports.results.element import ElementView
from reports.results.trend import DEFAULT_DAYS, EARLIEST, TrendQuery, TrendView
from reports.web.pages.choices import Choice, Neighbour

# In days, by step; the longest shows everything where less is held.
RANGES: Final = {1: (7, 28, 90, 365), 7: (28, 84, 182, 364)}
_DAY: Final = datetime.timedelta(days=1)

# The address of a query on its page.
Link: TypeAlias = Callable[[TrendQuery], str]


def ranges(view: TrendView | ElementView, link: Link) -> list[Choice]:
    """Links to so many days, as far as so many are held; none where all of them would show the same."""
    query, span = view.query, view.span
    chosen = (query.days or DEFAULT_DAYS[view.step]) if query.first is None else None
    *lengths, longest = RANGES[view.step]
    held = span.days if span is not None else 0
    offered = [days for days in lengths if days <= held or days in (DEFAULT_DAYS[view.step], chosen)]
    found = [(days, ngettext("%(days)s day", "%(days)s days", days) % {"days": days}) for days in offered]
    if held >= longest:
        found.append((longest, ngettext("%(days)s day", "%(days)s days", longest) % {"days": longest}))
    elif held > max(offered) or chosen == longest:
        found.append((longest, _("All days")))
    if len(found) == 1:
        return []
    return [Choice(link(replace(query, first=None, days=days)), label, days == chosen) for days, label in found]


def later_and_earlier(view: TrendView | ElementView, link: Link) -> tuple[Neighbour | None, Neighbour | None]:
    """The days before those shown, and those after, as many; none where nothing is counted."""
    query, span = view.query, view.span
    if span is None or view.first is None or view.last is None:
        return None, None
    first, last = view.first, view.last
    if view.step == 7 and view.version is not None and view.version.discovery is None:
        # Weeks are shown from their Monday on.
        first -= first.weekday() * _DAY
    days = (query.days or DEFAULT_DAYS[view.step]) if query.first is None else (view.last - view.first).days + 1
    length = (days - 1) * _DAY
    earlier = later = None
    if first > span.first:
        end = min(first - _DAY, span.last)
        earlier = _beside(query, max(end - length, EARLIEST), end, link)
    if last < span.last:
        end = last + days * _DAY
        # The newest days, however many have come since.
        newest = query.first is None and end >= span.last
        later = (
            _newest(query, span.last - length, span.last, link) if newest else _beside(query, end - length, end, link)
        )
    return earlier, later


def _beside(query: TrendQuery, first: datetime.date, last: datetime.date, link: Link) -> Neighbour:
    there = replace(query, last=last) if query.first is None else replace(query, first=first, last=last)
    return Neighbour(link(there), day_range(first, last))


def _newest(query: TrendQuery, first: datetime.date, last: datetime.date, link: Link) -> Neighbour:
    return Neighbour(link(replace(query, last=None)), day_range(first, last))
