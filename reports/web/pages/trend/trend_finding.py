"""Finding of a trend, in one sentence: its headline."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range, percent, rounded
from reports.kinds import kind_of
from reports.results.trend import Change, Element, TrendView
from reports.web.pages.locales import called, short_locale_name

# More would be a list.
MOST_NAMED = 2


def finding(view: TrendView) -> str:
    """The elements shown that changed clearly, at most two; the days where there is nothing to compare."""
    locales = view.version.locales if view.version is not None else ()
    place, changes = short_locale_name(view.locale, locales), view.changes
    elements = [series.element for series in view.series if series.element.element in changes.of]
    compared = [(element, changes.of[element.element]) for element in elements]
    if not compared:
        days = day_range(view.first, view.last) if view.first is not None and view.last is not None else ""
        return _("%(place)s, %(window)s") % {"place": place, "window": days}
    clear = sorted(
        ((element, change) for element, change in compared if change.is_clear),
        key=lambda each: abs(each[1].after - each[1].before),
        reverse=True,
    )
    span = _span(view)
    if not clear:
        return _("In %(place)s, nothing shown here changed clearly %(span)s.") % {"place": place, "span": span}
    said = [_changed(element, change) for element, change in clear[:MOST_NAMED]]
    words = (
        _("In %(place)s, %(first)s and %(second)s, clearly, %(span)s.")
        if len(said) > 1
        else _("In %(place)s, %(first)s, clearly, %(span)s.")
    )
    return words % {"place": place, "first": said[0], "second": said[-1], "span": span}


def _changed(element: Element, change: Change) -> str:
    words = (
        _("%(element)s rose from %(before)s to %(after)s")
        if change.after > change.before
        else _("%(element)s fell from %(before)s to %(after)s")
    )
    before, after = rounded(100 * change.before, 1), percent(change.after, 1)
    return words % {"element": called(element.display, element.name), "before": before, "after": after}


def _span(view: TrendView) -> str:
    """The windows that are compared."""
    count = view.changes.windows
    days = ngettext("from the first day to the last", "from the first %(count)s days to the last %(count)s", count)
    weeks = ngettext("from the first week to the last", "from the first %(count)s weeks to the last %(count)s", count)
    lists = ngettext("from the first list to the last", "from the first %(count)s lists to the last %(count)s", count)
    by_days = view.version is not None and kind_of(view.version).has_dictionary
    return (lists if not by_days else days if view.step == 1 else weeks) % {"count": count}
