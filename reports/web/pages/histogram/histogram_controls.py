"""What one may choose on the page of a use case."""

from dataclasses import replace

from django.db.models import Count
from django.utils.translation import gettext as _

from reports.models import Version
from reports.results import HistogramView
from reports.web.pages.addresses import DEFAULT_TOP, link
from reports.web.pages.choices import Choice, locale_choices, top_choices, version_choices
from reports.web.pages.histogram.histogram_chart import MOST_BARS
from reports.web.pages.locales import locale_name
from reports.web.pages.window_links import later_and_earlier, searched_windows, windows

TOP_CHOICES = (10, 20, 50, 100, MOST_BARS)
# A list of more is no help; every category has its own address.
LISTED_CATEGORIES = 200
# Parameters that links choose.
_BY_LINKS = ("days", "values", "unit", "scale", "sort")
# So many locales also have a link each; of more the list is quicker to read.
LINKED_LOCALES = 8


class Controls:
    """Everything the form shows."""

    def __init__(self, view: HistogramView, version: Version) -> None:
        self.locales = locale_choices(version, view.locale)
        # Links to the same view of each locale, where there are a few.
        self.places = _places(view, version)
        self.versions = version_choices(version)
        self.tops = top_choices(TOP_CHOICES, view.query.top or DEFAULT_TOP)
        self.windows = windows(view) if view.discovery is None else searched_windows(view)
        self.earlier, self.later = later_and_earlier(view)
        self.groupings = _groupings(view)
        self.categories = _categories(view)
        # Which of discovered words, by what was decided about them.
        self.words = _words(view)
        self.switches = _switches(view)
        # What the form sends along, because links choose it.
        self.hidden = [(name, value) for name, value in view.query.parameters().items() if name in _BY_LINKS]


def controls(view: HistogramView) -> Controls | None:
    """None if there is no version, and so nothing to choose."""
    return None if view.version is None else Controls(view, view.version)


def _switches(view: HistogramView) -> list[tuple[str, list[Choice]]]:
    """Links that choose how values are shown; which values, only where the dictionary is complete."""
    query = view.query
    offered = {
        _("Values"): {_("Raw"): replace(query, values=""), _("Consistent"): replace(query, values="consistent")},
        _("Chart"): {_("Share"): replace(query, unit=""), _("Number of reports"): replace(query, unit="count")},
        _("Axis"): {_("Linear"): replace(query, scale=""), _("Logarithmic"): replace(query, scale="log")},
    }
    if not view.use_case.dictionary_complete or view.discovery is not None:
        del offered[_("Values")]
    return [
        (label, [Choice(link(asked, view), name, asked == query) for name, asked in queries.items()])
        for label, queries in offered.items()
        if view.rows
    ]


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
