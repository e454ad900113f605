"""Where an element stands in a use case, in one line."""

from django.utils.translation import gettext as _

from reports.formatting import day_range, small_percent
from reports.results import Standing
from reports.results.trend import PointState
from reports.web.pages.locales import UNDIVIDED, locale_name
from reports.web.pages.trend.trend_words import interval, point_words


def standing_words(standing: Standing) -> str:
    """The largest share with its interval and the other locales that show one; or why there is none."""
    if not standing.newest:
        return ""
    first = standing.newest[0]
    shown = [result for result in standing.newest if result.share is not None]
    if not shown:
        return _below(standing)
    days = day_range(first.slot.first, first.slot.last)
    words = f"{point_words(first.slot, first.point)} ({interval(first.slot, first.point)})"
    if first.locale == UNDIVIDED:
        return f"{words}, {days}"
    words = _("%(words)s in %(locale)s") % {"words": words, "locale": locale_name(first.locale)}
    words = f"{words}, {days}"
    if len(standing.newest) == 1:
        return words
    if len(shown) == len(standing.newest):
        return _("%(words)s, above the threshold in all %(all)s locales") % {"words": words, "all": len(shown)}
    counts = {"words": words, "count": len(shown), "all": len(standing.newest)}
    return _("%(words)s, above the threshold in %(count)s of %(all)s locales") % counts


def _below(standing: Standing) -> str:
    bounds = [
        (result.point.at_most / result.slot.histogram.n, result.slot)
        for result in standing.newest
        if result.point.at_most is not None and result.slot.histogram is not None
    ]
    if bounds:
        bound, slot = max(bounds, key=lambda each: each[0])
        facts = {"share": small_percent(bound), "days": day_range(slot.first, slot.last)}
        return _("too rare to be told from noise, %(share)s of reports at most, %(days)s") % facts
    states = {result.point.state for result in standing.newest}
    if PointState.NOT_FOUND in states:
        return _("not in the newest lists")
    if PointState.NOT_COUNTED in states:
        return _("in the dictionary, not counted in these days")
    return _("in the dictionary; too few reports yet, or none")
