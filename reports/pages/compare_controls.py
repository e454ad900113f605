"""What one may choose on the page that compares, and the addresses of the choices."""

import datetime
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.models import Version
from reports.numbers import day_range
from reports.pages.choices import Choice
from reports.pages.locales import locale_label, locale_name
from reports.results import HistogramQuery
from reports.results.comparison import ComparisonView
from reports.results.comparison_query import OTHER, ComparisonQuery
from reports.results.comparison_sides import Side, default_locales
from reports.results.counted import counted_span

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
    query: HistogramQuery
    days: list[Choice]


@dataclass(frozen=True)
class CompareControls:
    """Everything the form shows."""

    sides: list[SideControls]
    versions: list[Choice]
    tops: list[Choice]
    # Other comparisons that one may want next.
    links: list[Choice]
    # Both windows moved by the length of the first; empty where there are no reports any more.
    earlier: str = ""
    later: str = ""


def controls(view: ComparisonView) -> CompareControls:
    if view.version is None or view.sides is None:
        return CompareControls([], [], [], [])
    first, second = view.sides
    return CompareControls(
        sides=[
            _side_controls(view.version, "", _("First side (A)"), first, view.query.first),
            _side_controls(view.version, OTHER, _("Second side (B)"), second, view.query.second),
        ],
        versions=_versions(view, view.version),
        tops=_tops(view.query.top or DEFAULT_TOP),
        links=_links(view, first, second),
        earlier=_moved(view, view.version, -1),
        later=_moved(view, view.version, 1),
    )


def _side_controls(version: Version, prefix: str, title: str, side: Side, query: HistogramQuery) -> SideControls:
    locales = [Choice(code, locale_label(code), code == side.locale) for code in version.locales]
    days = _days(query) if version.discovery is None else []
    return SideControls(prefix, title, locales if len(locales) > 1 else [], query, days)


def _days(query: HistogramQuery) -> list[Choice]:
    lengths = sorted({*_DAYS, *([query.days] if query.days else [])})
    return [
        Choice("", _("By the dates"), query.days is None),
        *(
            Choice(str(days), ngettext("%(days)s day", "%(days)s days", days) % {"days": days}, days == query.days)
            for days in lengths
        ),
    ]


def _versions(view: ComparisonView, version: Version) -> list[Choice]:
    found = view.use_case.versions.exclude(state=Version.State.DRAFT).order_by("-number")
    label = _("%(number)s (%(state)s)")
    choices = [
        Choice(
            str(other.number),
            label % {"number": other.number, "state": other.get_state_display()},
            other.pk == version.pk,
        )
        for other in found
    ]
    return choices if len(choices) > 1 else []


def _tops(chosen: int) -> list[Choice]:
    return [Choice(str(top), str(top), top == chosen) for top in sorted({*TOP_CHOICES, chosen})]


def _links(view: ComparisonView, first: Side, second: Side) -> list[Choice]:
    """The sides exchanged; and each locale with itself, over the days before."""
    links = [Choice(link(exact(view).swapped(), view), _("Swap A and B"), False)]
    if first.locale == second.locale:
        return links
    for side in (first, second):
        if side.histogram is not None:
            words = _("%(place)s: %(window)s with the time before")
            window = day_range(side.histogram.first_day, side.histogram.last_day)
            query = replace(view.query, first=_dated(side), second=HistogramQuery(locale=side.locale))
            links.append(
                Choice(link(query, view), words % {"place": locale_name(side.locale), "window": window}, False)
            )
    return links


def _moved(view: ComparisonView, version: Version, steps: int) -> str:
    """Windows of words are those of runs, and are chosen by their dates."""
    if view.histograms is None or view.sides is None or version.discovery is not None:
        return ""
    first = view.histograms[0]
    days = steps * (first.last_day - first.first_day + datetime.timedelta(days=1))
    windows = [(each.first_day + days, each.last_day + days) for each in view.histograms]
    spans = [counted_span(version, each.locale) for each in view.histograms]
    ends = zip(windows, spans, strict=True)
    if any(span is None or last < span.first or span.last < begin for (begin, last), span in ends):
        return ""
    moved = [
        HistogramQuery(locale=each.locale, first=begin, last=last)
        for each, (begin, last) in zip(view.histograms, windows, strict=True)
    ]
    return link(replace(view.query, first=moved[0], second=moved[1]), view)


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


def exact(view: ComparisonView) -> ComparisonQuery:
    """Exactly what is shown, said in full, so that a link means the same when newer days have come."""
    if view.version is None or view.sides is None:
        return view.query
    first, second = map(_dated, view.sides)
    return replace(view.query, first=first, second=second, version=view.version.number)


def _dated(side: Side) -> HistogramQuery:
    if side.histogram is None:
        return replace(side.query, locale=side.locale)
    return HistogramQuery(locale=side.locale, first=side.histogram.first_day, last=side.histogram.last_day)
