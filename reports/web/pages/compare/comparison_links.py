"""Other comparisons that one may want next: only those of which there is something to see."""

import datetime
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from reports.formatting import day_range
from reports.models import Version
from reports.results import HistogramQuery, LocaleWindow, published_windows
from reports.results.comparison import ComparisonView, Side, days_before, earlier_list
from reports.web.pages.choices import Choice
from reports.web.pages.compare.comparison_controls import link
from reports.web.pages.locales import locale_name


@dataclass(frozen=True)
class Others:
    """Links beside the form."""

    links: list[Choice]
    # Both windows moved by the length of the first; empty where nothing is published.
    earlier: str = ""
    later: str = ""


def other_comparisons(view: ComparisonView) -> Others:
    if view.version is None or view.sides is None:
        return Others([])
    swapped = Choice(link(view.exact().swapped(), view), _("Swap A and B"), False)
    earlier, later = _moved(view, -1), _moved(view, 1)
    # Of two locales, each with itself.
    sides = [each for each in view.sides if each.histogram is not None and view.sides[0].locale != view.sides[1].locale]
    before = {side.locale: _before(view.version, side) for side in sides}
    wanted = [*earlier, *later, *(window for window in before.values() if window is not None)]
    there = published_windows(view.version, set(wanted)) if view.discovery is None else set(wanted)
    return Others(
        links=[swapped, *(_with_before(view, side) for side in sides if before[side.locale] in there)],
        earlier=_link(view, earlier) if earlier and there.issuperset(earlier) else "",
        later=_link(view, later) if later and there.issuperset(later) else "",
    )


def _moved(view: ComparisonView, steps: int) -> list[LocaleWindow]:
    """Windows of words are those of runs, and are chosen by their dates."""
    if view.histograms is None or view.discovery is not None:
        return []
    first = view.histograms[0]
    days = steps * (first.last_day - first.first_day + datetime.timedelta(days=1))
    return [(each.locale, each.first_day + days, each.last_day + days) for each in view.histograms]


def _before(version: Version, side: Side) -> LocaleWindow | None:
    """The window with which one of this side would be compared, if there may be one."""
    if side.histogram is None:
        return None
    if version.discovery is None:
        return (side.locale, *days_before(side.histogram))
    found = earlier_list(version, side.histogram)
    return None if found is None else (side.locale, found.first_day, found.last_day)


def _with_before(view: ComparisonView, side: Side) -> Choice:
    words = _("%(place)s: %(window)s and the days before")
    dated = HistogramQuery(locale=side.locale, first=side.days[0], last=side.days[1])
    query = replace(view.query, first=dated, second=HistogramQuery(locale=side.locale))
    window = "" if side.histogram is None else day_range(side.histogram.first_day, side.histogram.last_day)
    return Choice(link(query, view), words % {"place": locale_name(side.locale), "window": window}, False)


def _link(view: ComparisonView, windows: list[LocaleWindow]) -> str:
    first, second = (HistogramQuery(locale=locale, first=begin, last=end) for locale, begin, end in windows)
    return link(replace(view.query, first=first, second=second), view)
