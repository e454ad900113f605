"""The finding of a histogram: which elements lead, and how sure that is, in one sentence."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from reports.formatting import percent_with_error, small_percent, whole
from reports.models import Histogram
from reports.results import HistogramRow, HistogramView, told_apart
from reports.web.pages.kinds import PageKind
from reports.web.pages.locales import UNDIVIDED, isolated, locale_name


def finding(view: HistogramView, histogram: Histogram, kind: PageKind) -> str:
    """Say which of the rows has the largest share, by intervals that allow for the choice of the largest.

    Elements whose intervals overlap are not told apart, as the ranks of the table do not.
    """
    rows = sorted(view.rows, key=lambda row: row.entry.rank)
    first = _together(rows)
    words = {
        "place": locale_name(view.locale),
        "count": _count(first, rows, view),
        "elements": _("groups") if view.grouping is not None else str(kind.elements),
        "names": _both(first, rows),
        "share": _shares(first, histogram.n),
    }
    everywhere = view.locale == UNDIVIDED
    if view.query.is_narrow or view.query.is_about_words:
        return _of_a_part(first, words)
    if len(first) > 2:
        found = _("%(count)s %(elements)s lead, with %(share)s; which of them is first is open.")
        in_place = _("%(count)s %(elements)s lead in %(place)s, with %(share)s; which of them is first is open.")
    elif len(first) == 2:
        found = _("%(names)s lead, with %(share)s; which of them is first is open.")
        in_place = _("%(names)s lead in %(place)s, with %(share)s; which of them is first is open.")
    elif view.total == 1:
        found = _("Only %(names)s is above the threshold, with %(share)s.")
        in_place = _("Only %(names)s is above the threshold in %(place)s, with %(share)s.")
    else:
        found = _("%(names)s leads with %(share)s; %(second)s.")
        in_place = _("%(names)s leads in %(place)s with %(share)s; %(second)s.")
        words["second"] = _second(rows[1:], view, histogram.n, words["elements"])
    return (found if everywhere else in_place) % words


def _of_a_part(first: Sequence[HistogramRow], words: dict[str, str]) -> str:
    """Finding of a search or a filter, which leads nothing but itself."""
    if len(first) > 1:
        return _("Of what is shown, the largest shares are %(share)s; which of them is first is open.") % words
    return _("Of what is shown, %(names)s has the largest share: %(share)s.") % words


def _second(rows: Sequence[HistogramRow], view: HistogramView, n: int, elements: str) -> str:
    if not rows:
        return _("only the first is shown")
    found = _together(rows)
    words = {
        "names": _both(found, view.rows),
        "count": _count(found, rows, view),
        "share": _shares(found, n),
        "elements": elements,
    }
    if len(found) == 1:
        return _("%(names)s is second with %(share)s") % words
    if len(found) == 2:
        return _("which of %(names)s is second is open") % words
    return _("which of %(count)s %(elements)s is second is open") % words


def _together(rows: Sequence[HistogramRow]) -> list[HistogramRow]:
    """The rows that may have the largest share: those whose intervals reach into that of the first."""
    least = rows[0].entry.adjusted_lower
    return [rows[0], *(row for row in rows[1:] if row.entry.adjusted_upper > least)]


def _count(found: Sequence[HistogramRow], rows: Sequence[HistogramRow], view: HistogramView) -> str:
    """Count rows; of those that are not shown nothing is known here."""
    more = found[-1] == rows[-1] and len(view.rows) < view.total
    return _("at least %(count)s") % {"count": whole(len(found))} if more else whole(len(found))


def _both(rows: Sequence[HistogramRow], beside: Sequence[HistogramRow]) -> str:
    shown = [row.display for row in beside]
    names = [isolated(told_apart(row.display, row.name, shown)) for row in rows[:2]]
    return names[0] if len(names) == 1 else _("%(first)s and %(second)s") % {"first": names[0], "second": names[1]}


def _shares(rows: Sequence[HistogramRow], n: int) -> str:
    """A share with its error, or several from the smallest to the largest with the largest error."""
    error = max((row.entry.adjusted_upper - row.entry.adjusted_lower) / 2 / n for row in rows)
    most, least = (row.entry.estimate / n for row in (rows[0], rows[-1]))
    high, low = percent_with_error(most, error), small_percent(least)
    if len(rows) == 1:
        return high
    if low == small_percent(most):
        return _("%(share)s each") % {"share": high}
    return _("%(low)s to %(high)s") % {"low": low, "high": high}
