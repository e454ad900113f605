"""The table of a trend: a line for each window, with the numbers of the chart as people read them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from reports.numbers import day_range, whole
from reports.pages.trend_words import interval, point_words, share, slot_words
from reports.results.trend_points import Series
from reports.results.trend_windows import Slot


@dataclass(frozen=True)
class Line:
    window: str
    n: str
    threshold: str
    cells: SafeString
    # In place of all these, where the window shows nothing.
    instead: str
    # What changed with this window.
    note: str


def lines(slots: Sequence[Slot], series: Sequence[Series], revisions: Sequence[tuple[Slot, int]] = ()) -> list[Line]:
    """One for each window, in the order of days."""
    revised = dict(revisions)
    return [_line(place, slot, series, revised.get(slot)) for place, slot in enumerate(slots)]


def _line(place: int, slot: Slot, series: Sequence[Series], revision: int | None) -> Line:
    histogram = slot.histogram
    if histogram is None:
        return Line(day_range(slot.first, slot.last), "", "", SafeString(), slot_words(slot), "")
    note = _("from here on dictionary revision %(number)s") % {"number": revision} if revision is not None else ""
    return Line(
        window=day_range(slot.first, slot.last),
        n=whole(histogram.n),
        threshold="" if histogram.threshold is None else share(slot, histogram.threshold),
        cells=joined(cell(slot, each, place) for each in series),
        instead="",
        note=note,
    )


def joined(cells: Iterable[SafeString]) -> SafeString:
    return format_html_join("", "{}", ((each,) for each in cells))


def cell(slot: Slot, series: Series, place: int) -> SafeString:
    """A cell of the table, made here: in a template thousands of them would take longer than all else."""
    point = series.points[place]
    if point.numbers is None:
        return format_html('<td class="number quiet">{}</td>', point_words(slot, point))
    numbers = point_words(slot, point), interval(slot, point)
    return format_html('<td class="number">{} <span class="interval">{}</span></td>', *numbers)
