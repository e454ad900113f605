"""Sparklines: a few days as a small drawing without axes, made here, with the same in words."""

import datetime
from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.numbers import short_day, whole
from reports.results.latest import TREND_DAYS, Latest

# In units of the drawing, which is stretched to the room there is.
WIDTH, HEIGHT, GAP = 168, 32, 1


@dataclass(frozen=True)
class Sparkline:
    width: int
    height: int
    path: str
    label: str
    summary: str


def sparkline(found: Latest) -> Sparkline | None:
    """Bars of the reports of the last weeks' published days, or lists, from zero; none where there is but one."""
    if len(found.trend) < 2:
        return None
    first = found.last_day - datetime.timedelta(days=TREND_DAYS - 1)
    most = max(point.n for point in found.trend)
    step = WIDTH / TREND_DAYS
    path = ""
    for point in found.trend:
        x, height = step * (point.day - first).days, max(1.0, HEIGHT * point.n / most)
        # Coordinates are not written as the reader writes numbers.
        path += f"M{x:.1f} {HEIGHT}v-{height:.1f}h{step - GAP:.1f}V{HEIGHT}z"
    return Sparkline(WIDTH, HEIGHT, path, _label(found), _summary(found))


def _label(found: Latest) -> str:
    return _("Reports per list of words") if found.discovers else _("Reports per day")


def _summary(found: Latest) -> str:
    numbers = [point.n for point in found.trend]
    first, last = found.trend[0], found.trend[-1]
    missing = (last.day - first.day).days + 1 - len(found.trend)
    words = _("%(label)s, %(first)s to %(last)s: from %(least)s to %(most)s, %(newest)s on the last day.") % {
        "label": _label(found),
        "first": short_day(first.day, last.day),
        "last": date_format(last.day),
        "least": whole(min(numbers)),
        "most": whole(max(numbers)),
        "newest": whole(last.n),
    }
    if found.discovers or not missing:
        return words
    days = ngettext("%(days)s day between is not published.", "%(days)s days between are not published.", missing)
    return f"{words} {days % {'days': whole(missing)}}"
