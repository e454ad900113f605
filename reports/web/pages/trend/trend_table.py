"""The table of a trend: a line for each window, with the numbers of the chart as people read them."""

from collections.abc import Sequence
from html import escape
from itertools import repeat

from django.utils.safestring import SafeString

from reports.formatting import day_ranges, small_percents, wholes
from reports.results.trend import Series, Slot
from reports.web.pages.trend.trend_words import INTERVAL, bound_words, missing_words, point_words, slot_words


def rows(slots: Sequence[Slot], series: Sequence[Series], *, versions: bool) -> SafeString:
    """One for each window, in the order of days; made here, as all of the table is: templates take long for so many.

    Where several `versions` counted them, each row says which.
    """
    columns = [column(each) for each in series]
    # Without series, every window has no cells.
    cells = zip(*columns, strict=True) if columns else repeat((), len(slots))
    window, percent, count = day_ranges(), small_percents(), wholes()
    found = []
    for slot, each in zip(slots, cells, strict=True):
        histogram, written = slot.histogram, window(slot.first, slot.last)
        if histogram is None:
            nothing = f'<td class="quiet" colspan="{len(each) + 2 + versions}">{escape(slot_words(slot))}</td>'
            found.append(row(written, nothing, css="instead"))
            continue
        threshold = "" if histogram.threshold is None else percent(histogram.threshold / histogram.n)
        version = _SIZE % slot.version.number if versions else ""
        shown = f"{version}{''.join(each)}{_SIZE % count(histogram.n)}{_SIZE % threshold}"
        found.append(row(written, shown, missing_words(slot)))
    return SafeString("".join(found))


_SIZE = '<td class="number">%s</td>'


def row(window: str, cells: str, special: str = "", css: str = "", version: str = "") -> str:
    """Write a row, as markup; `special` says what is so about this window alone."""
    html_class = f' class="{css}"' if css else ""
    return f'<tr{html_class}><th scope="row">{escape(window)}{version}{note(special)}</th>{cells}</tr>\n'


def note(words: str) -> str:
    return f'<span class="note">{escape(words)}</span>' if words else ""


def column(series: Series, *, with_notes: bool = False) -> list[str]:
    """A cell for each window, made here: in a template thousands of them would take longer than all else.

    `with_notes` says in it which days a week lacks, where a row is of several series of which each may lack others.
    """
    above, below = small_percents(_ABOVE), small_percents(_NO_NUMBER % escape(bound_words() % {"share": "%s"}))
    states: dict[str, str] = {}
    found = []
    for slot, point in zip(series.slots, series.points, strict=True):
        numbers, histogram = point.numbers, slot.histogram
        if numbers is not None and histogram is not None:
            n = histogram.n
            # Digits and a percent sign: nothing to be escaped.
            cell = above(numbers.estimate / n, numbers.adjusted_lower / n, numbers.adjusted_upper / n)
            if with_notes and slot.left_out:
                cell = cell.replace("</td>", f"{note(missing_words(slot))}</td>")
        elif point.at_most is not None and histogram is not None:
            cell = below(point.at_most / histogram.n)
        else:
            if point.state not in states:
                states[point.state] = _NO_NUMBER % escape(point_words(slot, point))
            cell = states[point.state]
        found.append(cell)
    return found


_ABOVE = f'<td class="number">%s <span class="interval">{INTERVAL}</span></td>'
_NO_NUMBER = '<td class="number quiet">%s</td>'
