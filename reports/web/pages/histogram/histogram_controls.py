"""What one may choose on the page of a use case."""

from dataclasses import dataclass, replace

from django.db.models import Count
from django.utils.translation import gettext as _

from reports.models import Version
from reports.results import HistogramQuery, HistogramView
from reports.web.pages.addresses import DEFAULT_TOP, link
from reports.web.pages.choices import Choice, locale_choices, top_choices, version_choices
from reports.web.pages.histogram.histogram_chart import MOST_BARS
from reports.web.pages.locales import locale_name
from reports.web.pages.window_links import Neighbour, later_and_earlier, searched_windows, windows

TOP_CHOICES = (10, 20, 50, 100, MOST_BARS)
# A list of more is no help; every category has its own address.
LISTED_CATEGORIES = 200
# Parameters that links choose.
_BY_LINKS = ("days", "values", "unit", "scale", "sort")
# So many locales also have a link each; of more the list is quicker to read.
LINKED_LOCALES = 8


@dataclass(frozen=True)
class Switch:
    """A few links, one of which leads to what is shown already."""

    label: str
    choices: list[Choice]


@dataclass(frozen=True)
class Controls:
    """Everything the form shows, after the view it belongs to."""

    locales: list[Choice]
    # Links to the same view of each locale, where there are a few.
    places: list[Choice]
    versions: list[Choice]
    tops: list[Choice]
    windows: list[Choice]
    # The windows before and after the one shown.
    earlier: Neighbour | None
    later: Neighbour | None
    groupings: list[Choice]
    categories: list[Choice]
    # Which of discovered words, by what was decided about them.
    words: list[Choice]
    # How values are shown.
    switches: list[Switch]
    # What the form sends along, because links choose it.
    hidden: list[tuple[str, str]]


def controls(view: HistogramView) -> Controls | None:
    """None if there is no version, and so nothing to choose."""
    version = view.version
    if version is None:
        return None
    earlier, later = later_and_earlier(view)
    return Controls(
        locales=locale_choices(version, view.locale),
        places=_places(view, version),
        versions=version_choices(version),
        tops=top_choices(TOP_CHOICES, view.query.top or DEFAULT_TOP),
        windows=windows(view) if view.discovery is None else searched_windows(view),
        earlier=earlier,
        later=later,
        groupings=_groupings(view),
        categories=_categories(view),
        words=_words(view),
        switches=_switches(view),
        hidden=[(name, value) for name, value in view.query.parameters().items() if name in _BY_LINKS],
    )


def _switches(view: HistogramView) -> list[Switch]:
    """Of the values shown, and of the chart's axis; those of values only where the dictionary is complete."""
    if not view.rows:
        return []
    query = view.query
    values = [
        _choice(view, replace(query, values=""), _("Raw")),
        _choice(view, replace(query, values="consistent"), _("Consistent")),
    ]
    axis = [
        _choice(view, replace(query, unit=""), _("Share")),
        _choice(view, replace(query, unit="count"), _("Number of reports")),
    ]
    scale = [
        _choice(view, replace(query, scale=""), _("Linear")),
        _choice(view, replace(query, scale="log"), _("Logarithmic")),
    ]
    complete = view.use_case.dictionary_complete and view.discovery is None
    return [
        *([Switch(_("Values"), values)] if complete else []),
        Switch(_("Chart"), axis),
        Switch(_("Axis"), scale),
    ]


def _choice(view: HistogramView, query: HistogramQuery, label: str) -> Choice:
    return Choice(link(query, view), label, query == view.query)


def _places(view: HistogramView, version: Version) -> list[Choice]:
    if not 1 < len(version.locales) <= LINKED_LOCALES:
        return []
    return [
        Choice(link(replace(view.query, locale=code), view), locale_name(code), code == view.locale)
        for code in version.locales
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
        entries = view.histogram.entries.exclude(category="").order_by()
        ordered = entries.values("category").annotate(entries=Count("pk")).order_by("-entries", "category")
        found.update(ordered.values_list("category", flat=True)[:LISTED_CATEGORIES])
    if not found:
        return []
    listed = [Choice(name, name, name == chosen) for name in sorted(found, key=str.casefold)]
    return [Choice("", _("All categories"), not chosen), *listed]


def _words(view: HistogramView) -> list[Choice]:
    if view.discovery is None:
        return []
    labels = {
        "": _("Not rejected"),
        "all": _("All"),
        "new": _("New since the last run"),
        "undecided": _("Not decided"),
        "accepted": _("Accepted"),
        "rejected": _("Rejected"),
        "truncated": _("Truncated"),
        "foreign": _("Foreign"),
    }
    return [Choice(value, label, value == view.query.words) for value, label in labels.items()]
