"""What one may choose on the page that compares, and the addresses of the choices."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from reports.formatting import day_range
from reports.models import Version
from reports.results import HistogramQuery, LocaleWindow
from reports.results.comparison import OTHER, ComparisonQuery, ComparisonView, Side, default_locales
from reports.web.pages.choices import Choice, days_words, locale_choices, top_choices, version_choices
from reports.web.pages.date_fields import DateFields, date_fields
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import locale_name

TOP_CHOICES = (10, 20, 30, 50, 100, 200)
DEFAULT_TOP = 30
MOST_ROWS = max(TOP_CHOICES)
_DAYS = (1, 7, 28)


@dataclass(frozen=True)
class SideControls:
    """The fields of one side; the names of their parameters begin with `prefix`."""

    prefix: str
    title: str
    locales: list[Choice]
    dates: DateFields
    days: list[Choice]


@dataclass(frozen=True)
class CompareControls:
    """Everything the form shows."""

    sides: list[SideControls]
    versions: list[Choice]
    tops: list[Choice]


def controls(view: ComparisonView) -> CompareControls | None:
    """None without a version, and so without anything to choose."""
    if view.version is None or view.sides is None:
        return None
    first, second = view.sides
    return CompareControls(
        sides=[
            _side_controls(view.version, "", _("First side (A)"), first, view.query.first),
            _side_controls(view.version, OTHER, _("Second side (B)"), second, view.query.second),
        ],
        versions=version_choices(view.version),
        tops=top_choices(TOP_CHOICES, view.query.top or DEFAULT_TOP),
    )


def _side_controls(version: Version, prefix: str, title: str, side: Side, query: HistogramQuery) -> SideControls:
    days = _days(query) if page_kind(version).has_lengths else []
    dates = date_fields(query, *side.days, prefix, length=bool(days))
    return SideControls(prefix, title, locale_choices(version, side.locale), dates, days)


def with_typed(side: SideControls, typed: DateFields) -> SideControls:
    """The same with what somebody typed, which the form remembers as it does what an address gave."""
    rest = [pair for pair in side.dates.hidden if pair not in typed.hidden]
    return replace(side, dates=replace(typed, hidden=[*typed.hidden, *rest] if side.days else []))


def _days(query: HistogramQuery) -> list[Choice]:
    lengths = sorted({*_DAYS, *([query.days] if query.days else [])})
    return [
        Choice("", _("By dates"), query.days is None),
        *(Choice(str(days), days_words(days), days == query.days) for days in lengths),
    ]


# --- Addresses ---


def page_parameters(query: ComparisonQuery, view: ComparisonView) -> dict[str, str]:
    """The query string's content without what the page assumes anyway: one view, one address."""
    parameters = query.parameters()
    defaults = {"top": str(DEFAULT_TOP)}
    if view.version is not None:
        defaults["locale"], defaults[f"{OTHER}locale"] = default_locales(view.version, query)
        if view.version == view.default_version:
            defaults["version"] = str(view.version.number)
    return {name: value for name, value in parameters.items() if defaults.get(name) != value}


def link(query: ComparisonQuery, view: ComparisonView) -> str:
    """A link on the page, relative to it."""
    return f"?{urlencode(page_parameters(query, view))}"


# --- Other comparisons that one may want next: only those of which there is something to see ---


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
    swapped = Choice(link(view.exact().swapped(), view), _("Swap A and B"))
    kind = page_kind(view.version)
    earlier, later = kind.moved(view, -1), kind.moved(view, 1)
    # Of two locales, each with itself.
    sides = [each for each in view.sides if each.histogram is not None and view.sides[0].locale != view.sides[1].locale]
    before = {
        side.locale: kind.window_before(view.version, side.histogram) for side in sides if side.histogram is not None
    }
    wanted = [*earlier, *later, *(window for window in before.values() if window is not None)]
    there = kind.published(view.version, set(wanted))
    return Others(
        links=[swapped, *(_with_before(view, side) for side in sides if before[side.locale] in there)],
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
