"""Choices on the page of a use case."""

from collections import Counter
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from reports.results import HistogramView
from reports.web.pages.addresses import DEFAULT_TOP, link, page_parameters
from reports.web.pages.choices import Choice, locale_choices, top_choices, version_choices
from reports.web.pages.histogram.histogram_chart import MOST_BARS
from reports.web.pages.kinds import page_kind
from reports.web.pages.windows import WindowControl

TOP_CHOICES = (10, 20, 50, 100, MOST_BARS)
# A list of more is no help; every category has its own address.
LISTED_CATEGORIES = 200
# Parameters that links choose.
_BY_LINKS = ("values", "unit", "scale", "sort")
_FOLDED = {"version", "group", "category", "words", "top", "values", "unit", "scale"}


@dataclass(frozen=True)
class Controls:
    """Everything the form shows."""

    locales: list[Choice]
    versions: list[Choice]
    tops: list[Choice]
    window: WindowControl
    groupings: list[Choice]
    categories: list[Choice]
    # Verdicts on discovered words that may be asked for.
    verdicts: list[Choice]
    switches: list[tuple[str, list[Choice]]]
    # Hidden fields that the form sends along, because links choose them.
    hidden: list[tuple[str, str]]
    # How many of the choices that are folded are not the usual ones.
    more_chosen: int


def controls(view: HistogramView) -> Controls | None:
    version, query = view.version, view.query
    if version is None:
        return None
    kind = page_kind(version)
    return Controls(
        locales=locale_choices(version, view.locale),
        versions=version_choices(version),
        tops=top_choices(TOP_CHOICES, query.top or DEFAULT_TOP),
        window=kind.window(view),
        groupings=_groupings(view),
        categories=_categories(view),
        verdicts=kind.verdicts(query),
        switches=_switches(view) if view.rows else [],
        hidden=[(name, value) for name, value in query.parameters().items() if name in _BY_LINKS],
        more_chosen=len(page_parameters(query, view).keys() & _FOLDED),
    )


def _switches(view: HistogramView) -> list[tuple[str, list[Choice]]]:
    """Links that choose how values are shown; which values, only where the dictionary is complete."""
    query = view.query
    offered = {
        _("Values"): {_("Raw"): replace(query, values=""), _("Consistent"): replace(query, values="consistent")},
        _("Chart"): {_("Share"): replace(query, unit=""), _("Number of reports"): replace(query, unit="count")},
        _("Axis"): {_("Linear"): replace(query, scale=""), _("Logarithmic"): replace(query, scale="log")},
    }
    if not page_kind(view.version).has_consistent_values(view.use_case):
        del offered[_("Values")]
    return [
        (label, [Choice(link(asked, view), name, asked == query) for name, asked in queries.items()])
        for label, queries in offered.items()
    ]


def _groupings(view: HistogramView) -> list[Choice]:
    # Within one category there is nothing to group by category.
    useful = [grouping for grouping in view.groupings if not (view.query.category and grouping.name == "category")]
    found = [Choice(grouping.name, str(grouping.label), grouping == view.grouping) for grouping in useful]
    return [Choice("", _("Elements"), view.grouping is None), *found] if found else []


def _categories(view: HistogramView) -> list[Choice]:
    """The categories of what is above its threshold, of most of it first while choosing which to list.

    Without a histogram it is the one that was chosen: which have something above it are results.
    """
    chosen = view.query.category
    found = {chosen} if chosen else set()
    if view.histogram is not None and any(grouping.name == "category" for grouping in view.groupings):
        listed = Counter(category for category in view.histogram.entries.categories if category)
        found.update(sorted(listed, key=lambda name: (-listed[name], name))[:LISTED_CATEGORIES])
    if not found:
        return []
    named = [Choice(name, name, name == chosen) for name in sorted(found, key=str.casefold)]
    return [Choice("", _("All categories"), not chosen), *named]
