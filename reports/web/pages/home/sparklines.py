"""Sparklines: a few days as a small drawing without axes, made here, with the same in words."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import short_day, whole, written_day
from reports.results import TREND_DAYS, Latest
from reports.web.pages.kinds import PageKind

# In units of the drawing, which is stretched to the room there is.
WIDTH, HEIGHT, GAP = 168, 32, 1


@dataclass(frozen=True)
class Sparkline:
    # Of the drawing, as SVG writes it.
    box: str
    path: str
    label: str
    summary: str


def sparkline(found: Latest, kind: PageKind) -> Sparkline | None:
    """Bars of the reports of the last weeks' published days, or lists, from zero; none where there is but one."""
    if len(found.trend) < 2:
        return None
    last = found.last_day.toordinal()
    scale = HEIGHT / max(point.n for point in found.trend)
    bars = [(last - point.day.toordinal(), max(1.0, scale * point.n)) for point in found.trend]
    path = "".join(f"{_STARTS[ago]}{height:.1f}{_END}" for ago, height in bars)
    label = str(kind.reports_per_window)
    return Sparkline(f"0 0 {WIDTH} {HEIGHT}", path, label, _summary(found, kind))


# A bar goes up, to the right, and down again, and begins so many days ago. Coordinates are not written as the reader
# writes numbers.
_STEP = WIDTH / TREND_DAYS
_STARTS = [f"M{_STEP * (TREND_DAYS - 1 - ago):.1f} {HEIGHT}v-" for ago in range(TREND_DAYS)]
_END = f"h{_STEP - GAP:.1f}V{HEIGHT}z"


def _summary(found: Latest, kind: PageKind) -> str:
    numbers = [point.n for point in found.trend]
    first, last = found.trend[0], found.trend[-1]
    missing = (last.day - first.day).days + 1 - len(found.trend)
    words = _("%(label)s, %(first)s to %(last)s: from %(least)s to %(most)s, %(newest)s on the last day.") % {
        "label": kind.reports_per_window,
        "first": short_day(first.day, last.day),
        "last": written_day(last.day),
        "least": whole(min(numbers)),
        "most": whole(max(numbers)),
        "newest": whole(last.n),
    }
    if not kind.counts_dictionary or not missing:
        return words
    days = ngettext("%(days)s day between is not published.", "%(days)s days between are not published.", missing)
    return f"{words} {days % {'days': whole(missing)}}"
