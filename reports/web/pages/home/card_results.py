"""The newest published window on the card of a use case, kept until there is another."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range, percent, rounded, short_day, whole, written_day
from reports.models import UseCase
from reports.models.uploads import utc_today
from reports.results import TREND_DAYS, Latest, Leader, WindowSize, cached_each, latest
from reports.web.pages.kinds import PAGE_KINDS, PageKind
from reports.web.pages.locales import direction, language_tag, locale_name

# In units of the drawing, which is stretched to the room there is.
WIDTH, HEIGHT, GAP = 168, 32, 1


@dataclass(frozen=True)
class Sparkline:
    # View box of the drawing, as SVG writes it.
    box: str
    path: str
    # Lines of other versions, behind it.
    others: str
    label: str
    summary: str


def sparkline(found: Latest, kind: PageKind) -> Sparkline | None:
    """Bars of the reports of the last weeks' published days, or lists, from zero; none where there is but one."""
    others = [point for other in found.others for point in other.trend]
    if not found.trend or len(found.trend) + len(others) < 2:
        return None
    last = found.last_day.toordinal()
    scale = HEIGHT / max(point.n for point in (*found.trend, *others))

    def path(points: Iterable[WindowSize]) -> str:
        bars = ((last - point.day.toordinal(), max(1.0, scale * point.n)) for point in points)
        return "".join(f"{_STARTS[ago]}{height:.1f}{_END}" for ago, height in bars)

    label = str(kind.reports_per_window)
    return Sparkline(f"0 0 {WIDTH} {HEIGHT}", path(found.trend), path(others), label, _summary(found, kind))


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


@dataclass(frozen=True)
class Result:
    """The newest published window, as it is shown until there is another."""

    html: SafeString
    # Query of the page that shows it.
    query: str
    last_day: datetime.date
    # In the newest lists of all locales.
    new_words: int

    @property
    def age(self) -> int:
        """In days. A day is counted when it is over."""
        return (utc_today() - self.last_day).days

    @property
    def freshness(self) -> str:
        if self.age <= 0:
            return _("up to today")
        if self.age == 1:
            return _("up to yesterday")
        return ngettext("up to %(days)s day ago", "up to %(days)s days ago", self.age) % {"days": whole(self.age)}


def results(use_cases: Sequence[UseCase]) -> dict[int, Result | None]:
    """Return results of each use case, by primary key; None where nothing is published."""
    return cached_each(use_cases, "card", "", _results)


def _results(use_cases: Sequence[UseCase]) -> dict[int, Result | None]:
    return {pk: None if found is None else _result(found) for pk, found in latest(use_cases).items()}


def _result(found: Latest) -> Result:
    kind = PAGE_KINDS.discovery if found.discovers else PAGE_KINDS.counting
    shown = {
        "kind": kind,
        "locale": locale_name(found.locale),
        "window": day_range(found.first_day, found.last_day),
        "n": _reports(found),
        "rows": _rows(found),
        "trend": sparkline(found, kind),
    }
    return Result(
        html=render_to_string("reports/_card_result.html", shown),
        query="" if found.is_first_locale else urlencode({"locale": found.locale}),
        last_day=found.last_day,
        new_words=found.new_words,
    )


def _reports(found: Latest) -> list[str]:
    """Count the reports that shares are of; where other versions counted too, name the one."""
    n = {"n": whole(found.n), "number": found.version}
    if not found.others:
        return [_("n = %(n)s reports") % n]
    words = _("version %(number)s, until %(day)s: not in n")
    others = ({"number": each.number, "day": short_day(each.last_day, found.last_day)} for each in found.others)
    return [_("n = %(n)s reports of version %(number)s") % n, *(words % other for other in others)]


def _rows(found: Latest) -> SafeString:
    """A row for each of the most frequent; made here, because a template takes long where there are many cards."""
    of_locale = f'lang="{escape(language_tag(found.locale))}" dir="{direction(found.locale)}"'
    # Translators: an interval in percent.
    interval = escape(_("%(lower)s – %(upper)s %%"))
    furthest = max((leader.upper for leader in found.leaders), default=1.0)
    return SafeString("".join(_row(leader, of_locale, interval, furthest) for leader in found.leaders))


def _row(leader: Leader, of_locale: str, interval: str, furthest: float) -> str:
    name = f'<span class="name">{escape(leader.name)}</span>' if leader.name else ""
    ends = {"lower": rounded(100 * leader.lower, 2), "upper": rounded(100 * leader.upper, 2)}
    share, lower, upper = (100 * max(end, 0.0) / furthest for end in (leader.share, leader.lower, leader.upper))
    # Numbers are digits and a percent sign: nothing to be escaped.
    return (
        f'<tr style="--share: {share:.1f}%; --lower: {lower:.1f}%; --upper: {upper:.1f}%">'
        f'<th scope="row"><span class="element" {of_locale}>{escape(leader.display)}</span>{name}</th>'
        f'<td class="number">{percent(leader.share)}</td><td class="number interval">{interval % ends}</td></tr>'
    )
