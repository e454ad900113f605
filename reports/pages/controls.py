"""What one may choose on the page of a use case, and the addresses of the choices."""

import datetime
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.db.models import Count
from django.utils.translation import gettext as _

from reports.models import Version
from reports.numbers import day_range
from reports.pages.chart import MOST_BARS
from reports.pages.choices import Choice
from reports.pages.locales import locale_label
from reports.results import HistogramQuery, HistogramView

TOP_CHOICES = (10, 20, 50, 100, MOST_BARS)
DEFAULT_TOP = 20
# More than these are reached through the two dates.
LINKED_DAYS = 7
# A list of more is no help; every category has its own address.
LISTED_CATEGORIES = 200


@dataclass(frozen=True)
class Controls:
    """Everything the form shows, after the view it belongs to."""

    locales: list[Choice]
    versions: list[Choice]
    tops: list[Choice]
    windows: list[Choice]
    groupings: list[Choice]
    categories: list[Choice]
    # Which of discovered words, by what was decided about them.
    words: list[Choice]


def controls(view: HistogramView) -> Controls:
    version = view.version
    if version is None:
        return Controls([], [], [], [], [], [], [])
    windows = list(
        version.histograms.filter(locale=view.locale, grouping="", replaced=False)
        .order_by("-last_day", "first_day")
        .values_list("first_day", "last_day")
    )
    return Controls(
        locales=_locales(view, version),
        versions=_versions(view, version),
        tops=_tops(view.query.top or DEFAULT_TOP),
        windows=_windows(view, windows) if view.discovery is None else _searched_windows(view, windows),
        groupings=_groupings(view),
        categories=_categories(view),
        words=_words(view),
    )


def _locales(view: HistogramView, version: Version) -> list[Choice]:
    choices = [Choice(code, locale_label(code), code == view.locale) for code in version.locales]
    return choices if len(choices) > 1 else []


def _groupings(view: HistogramView) -> list[Choice]:
    # Within one category there is nothing to group by category.
    useful = [grouping for grouping in view.groupings if not (view.query.category and grouping.name == "category")]
    found = [Choice(grouping.name, str(grouping.label), grouping == view.grouping) for grouping in useful]
    return [Choice("", _("Elements"), view.grouping is None), *found] if found else []


def _categories(view: HistogramView) -> list[Choice]:
    """The categories of what is above its threshold, of most of it first while choosing which to list."""
    chosen = view.query.category
    found = {chosen} if chosen else set()
    if view.histogram is not None:
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


def _tops(chosen: int) -> list[Choice]:
    return [Choice(str(top), str(top), top == chosen) for top in sorted({*TOP_CHOICES, chosen})]


def _versions(view: HistogramView, version: Version) -> list[Choice]:
    found = view.use_case.versions.exclude(state=Version.State.DRAFT).order_by("-number")
    choices = [
        Choice(
            str(other.number),
            _("%(number)s (%(state)s)") % {"number": other.number, "state": other.get_state_display()},
            other.pk == version.pk,
        )
        for other in found
    ]
    return choices if len(choices) > 1 else []


def _windows(view: HistogramView, windows: list[tuple[datetime.date, datetime.date]]) -> list[Choice]:
    """Links to windows that are published already; those do not have to be computed."""
    shown = (view.histogram.first_day, view.histogram.last_day) if view.histogram else None
    whole = (min(first for first, _last in windows), max(last for _first, last in windows)) if windows else None
    days = [window for window in windows if window[0] == window[1] and window != whole][:LINKED_DAYS]
    everything = (view.query.first, view.query.last) == (None, None) or shown == whole
    links = [Choice(link(replace(view.query, first=None, last=None), view), _("All days"), everything)]
    for window in days:
        query = replace(view.query, first=window[0], last=window[1])
        links.append(Choice(link(query, view), day_range(*window), not everything and window == shown))
    return links if len(links) > 1 else []


def _searched_windows(view: HistogramView, windows: list[tuple[datetime.date, datetime.date]]) -> list[Choice]:
    """Links to the windows in which words were looked for, the newest first."""
    newest = (view.query.first, view.query.last) == (None, None)
    shown = (view.histogram.first_day, view.histogram.last_day) if view.histogram else None
    links = [Choice(link(replace(view.query, first=None, last=None), view), _("Newest"), newest)]
    for window in windows[:LINKED_DAYS]:
        query = replace(view.query, first=window[0], last=window[1])
        links.append(Choice(link(query, view), day_range(*window), not newest and window == shown))
    return links if len(windows) > 1 else []


def page_parameters(query: HistogramQuery, view: HistogramView) -> dict[str, str]:
    """The query string's content without what the page assumes anyway: one view, one address."""
    parameters = query.parameters()
    defaults = {"top": str(DEFAULT_TOP)}
    if view.version is not None:
        defaults["locale"] = view.version.locales[0]
        if view.version == view.default_version:
            defaults["version"] = str(view.version.number)
    return {name: value for name, value in parameters.items() if defaults.get(name) != value}


def link(query: HistogramQuery, view: HistogramView) -> str:
    """A link on the page, relative to it."""
    return f"?{urlencode(page_parameters(query, view))}"


def export_parameters(view: HistogramView) -> str:
    """Exactly what is shown, said in full, so that the link means the same when newer days have come."""
    histogram, version = view.histogram, view.version
    if histogram is None or version is None:
        return view.query.encoded()
    return replace(
        view.query,
        locale=view.locale,
        first=histogram.first_day,
        last=histogram.last_day,
        version=version.number,
    ).encoded()
