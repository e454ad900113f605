"""Choices on the page that compares, and their addresses."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import day_range
from reports.models import Version
from reports.results import HistogramQuery, LocaleWindow
from reports.results.comparison import OTHER, ComparisonQuery, ComparisonView, Side, default_locales
from reports.web.pages.addresses import short_parameters
from reports.web.pages.choices import Choice, locale_choices, top_choices, version_choices
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import locale_name
from reports.web.pages.windows import WindowControl, relative, window_control

TOP_CHOICES = (10, 20, 30, 50, 100, 200)
DEFAULT_TOP = 10
MOST_ROWS = max(TOP_CHOICES)
_DAYS = (1, 7, 28)


@dataclass(frozen=True)
class SideControls:
    """The fields of one side; the names of their parameters begin with `prefix`."""

    prefix: str
    title: str
    locales: list[Choice]
    window: WindowControl


@dataclass(frozen=True)
class CompareControls:
    """Everything the form shows."""

    sides: list[SideControls]
    versions: list[Choice]
    tops: list[Choice]


def controls(view: ComparisonView) -> CompareControls | None:
    if view.version is None or view.sides is None:
        return None
    (first, second), asked = view.sides, view.query
    return CompareControls(
        sides=[
            _side_controls(view.version, "", _("First side (A)"), first, asked.first, asked.second, second.locale),
            _side_controls(view.version, OTHER, _("Second side (B)"), second, asked.second, asked.first, first.locale),
        ],
        versions=version_choices(view.version),
        tops=top_choices(TOP_CHOICES, view.query.top or DEFAULT_TOP),
    )


def _side_controls(
    version: Version, prefix: str, title: str, side: Side, query: HistogramQuery, other: HistogramQuery, locale: str
) -> SideControls:
    """Controls of a side, given the window that is asked for of the other, and the locale of that."""
    is_after = bool(prefix) and side.locale == locale
    ranges = [
        Choice(
            "", _default_words(is_of_one=side.locale == locale, is_after=is_after, other=other), not query.has_window
        )
    ]
    if page_kind(version).has_lengths:
        current = query.days if query.last is None else None
        for days in sorted({*_DAYS, *([current] if current else [])}):
            newest = side.days[1] if days == current and side.histogram is not None else None
            words = _days_before(days) if is_after else relative(days, newest)
            ranges.append(Choice(str(days), words, days == current))
    shown = side.days if side.histogram is not None else query.bounds(None)
    return SideControls(
        prefix, title, locale_choices(version, side.locale), window_control(query, ranges, shown, prefix)
    )


def _default_words(*, is_of_one: bool, is_after: bool, other: HistogramQuery) -> str:
    """The default comparison of a side without a chosen window, in words."""
    if is_of_one:
        return _("Days before") if is_after or other.has_window else _("Newest days")
    return _("Same days") if other.has_window else _("Newest of both")


def _days_before(days: int) -> str:
    return ngettext("%(days)s day before", "%(days)s days before", days) % {"days": days}


# --- Addresses ---


def page_parameters(query: ComparisonQuery, view: ComparisonView) -> dict[str, str]:
    """Return the parameters of a comparison's page."""
    defaults = {"top": str(DEFAULT_TOP)}
    if view.version is not None:
        defaults["locale"], defaults[f"{OTHER}locale"] = default_locales(view.version, query)
    return short_parameters(query, view, **defaults)


def link(query: ComparisonQuery, view: ComparisonView) -> str:
    """A link on the page, relative to it."""
    return f"?{urlencode(page_parameters(query, view))}"


# --- Other comparisons that one may want next: only those of which there is something to see ---


@dataclass(frozen=True)
class Others:
    """Links beside the form."""

    links: list[Choice]
    swapped: str = ""
    # Both windows moved by the length of the first; empty where nothing is published.
    earlier: str = ""
    later: str = ""


def other_comparisons(view: ComparisonView) -> Others:
    if view.version is None or view.sides is None:
        return Others([])
    kind = page_kind(view.version)
    earlier, later = kind.moved(view, -1), kind.moved(view, 1)
    # With two locales, each side may be compared with its own window before.
    sides = [each for each in view.sides if each.histogram is not None and view.sides[0].locale != view.sides[1].locale]
    before = {
        side.locale: kind.window_before(view.version, side.histogram) for side in sides if side.histogram is not None
    }
    wanted = [*earlier, *later, *(window for window in before.values() if window is not None)]
    there = kind.published(view.version, set(wanted))
    return Others(
        links=[_with_before(view, side) for side in sides if before[side.locale] in there],
        swapped=link(view.exact().swapped(), view),
        earlier=_link(view, earlier) if earlier and there.issuperset(earlier) else "",
        later=_link(view, later) if later and there.issuperset(later) else "",
    )


def _with_before(view: ComparisonView, side: Side) -> Choice:
    words = _("%(place)s: %(window)s and the days before")
    dated = HistogramQuery(locale=side.locale, first=side.days[0], last=side.days[1])
    query = replace(view.query, first=dated, second=HistogramQuery(locale=side.locale))
    window = "" if side.histogram is None else day_range(side.histogram.first_day, side.histogram.last_day)
    return Choice(link(query, view), words % {"place": locale_name(side.locale), "window": window})


def _link(view: ComparisonView, windows: list[LocaleWindow]) -> str:
    first, second = (HistogramQuery(locale=locale, first=begin, last=end) for locale, begin, end in windows)
    return link(replace(view.query, first=first, second=second), view)
