"""Choices on the page of a trend, and their addresses."""

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from reports.results import told_apart
from reports.results.element import ElementView
from reports.results.trend import (
    DEFAULT_DAYS,
    EARLIEST,
    MOST_ELEMENTS,
    Element,
    Series,
    TrendQuery,
    TrendView,
    suggested,
)
from reports.web.pages.addresses import element_address
from reports.web.pages.choices import (
    Choice,
    Neighbour,
    locale_choices,
    neighbour,
    version_choices,
)
from reports.web.pages.kinds import page_kind
from reports.web.pages.trend.trend_chart import FACETS_FROM
from reports.web.pages.trend.trend_words import point_words
from reports.web.pages.windows import WindowControl, relative, relative_weeks, window_control


@dataclass(frozen=True)
class Chosen:
    """An element of the trend, as the key of the chart; without links where it is embedded."""

    number: int
    element: Element
    # In the newest window that shows something.
    newest: str
    # Another one beside it looks the same.
    is_alike: bool
    page: str = ""
    # Empty for the last one, without which the largest would come back.
    remove: str = ""


@dataclass(frozen=True)
class Controls:
    """Everything the forms show."""

    locales: list[Choice]
    versions: list[Choice]
    steps: list[Choice]
    # How several elements are drawn, where there are so many.
    charts: list[Choice]
    window: WindowControl
    # Suggestions are results: only beside others.
    suggestions: Sequence[Element]
    may_add: bool
    # Hidden fields of the forms, names and values: for the whole page, and for the one that adds an element.
    kept: list[tuple[str, str]]
    kept_adding: list[tuple[str, str]]


def controls(view: TrendView) -> Controls | None:
    version = view.version
    if version is None:
        return None
    parameters, steps = page_parameters(view.query, view), page_kind(version).step_labels
    rest = [(name, value) for name, values in parameters.items() for value in values if name != "element"]
    elements = [("element", text) for text in view.query.elements]
    return Controls(
        locales=locale_choices(version, view.locale),
        versions=version_choices(version),
        steps=[Choice(str(step), str(words), step == view.step) for step, words in steps.items()],
        charts=_charts(view),
        window=window(view, lambda query: link(query, view)),
        suggestions=[] if view.is_empty else suggested(version, view.locale),
        may_add=0 < len(view.series) < MOST_ELEMENTS,
        kept=elements,
        kept_adding=[*(("element", series.element.text) for series in view.series), *rest],
    )


def _charts(view: TrendView) -> list[Choice]:
    if len(view.series) < FACETS_FROM:
        return []
    labels = {"": _("A panel for each element"), "off": _("One chart for all")}
    return [Choice(value, label, value == view.query.facets) for value, label in labels.items()]


def chosen(view: TrendView, *, linked: bool) -> list[Chosen]:
    """The elements shown, each with a link that leaves it out."""
    return [_chosen(view, number, series, linked) for number, series in enumerate(view.series, 1)]


def _chosen(view: TrendView, number: int, series: Series, linked: bool) -> Chosen:
    shown = [pair for pair in zip(series.slots, series.points, strict=True) if pair[0].histogram is not None]
    # The version that is looked at comes first, if it shows anything.
    own = (pair for pair in reversed(shown) if pair[0].version == view.version)
    newest = point_words(*next(own, shown[-1])) if shown else ""
    element, text = series.element, series.element.text
    beside = [each.element.display for each in view.series]
    is_alike = told_apart(element.display, element.name, beside) != element.display
    found = Chosen(number, element, newest, is_alike)
    if not linked:
        return found
    rest = tuple(other for each in view.series if (other := each.element.text) != text)
    page = element_address(view.use_case.slug, text, view.query.version)
    return replace(found, page=page, remove=link(replace(view.query, elements=rest), view) if rest else "")


def page_parameters(query: TrendQuery, view: TrendView) -> dict[str, list[str]]:
    """The query string's content without what the page assumes anyway: one view, one address."""
    parameters = query.parameters()
    if query.days == DEFAULT_DAYS[view.step]:
        del parameters["days"]
    defaults: dict[str, str] = {}
    if view.version is not None:
        has_window = not {"from", "to", "days"}.isdisjoint(parameters)
        parameters["step"] = [str(query.step or view.step)]
        defaults["step"] = str(view.usual_step(has_window=has_window))
        defaults["locale"] = view.version.locales[0]
        if view.version == view.default_version:
            defaults["version"] = str(view.version.number)
    return {name: values for name, values in parameters.items() if [defaults.get(name)] != values}


def link(query: TrendQuery, view: TrendView) -> str:
    """A link on the page, relative to it."""
    return f"?{urlencode(page_parameters(query, view), doseq=True)}"


def with_element(view: TrendView, element: Element) -> TrendQuery:
    """The trend with one more element. Raises `QueryError` if there are enough."""
    texts = (series.element.text for series in view.series)
    return replace(view.query, elements=tuple(dict.fromkeys((*texts, element.text))))


def offers(view: TrendView, elements: Iterable[Element]) -> list[tuple[Element, str]]:
    """Links that add one of these."""
    return [(element, link(with_element(view, element), view)) for element in elements]


# --- Which days are shown: how many, and those before and after ---

# In days, by step; the longest shows everything where less is held.
RANGES: Final = {1: (7, 28, 90, 365), 7: (28, 84, 182, 364)}
_DAY: Final = datetime.timedelta(days=1)

# The address of a query on its page.
Link: TypeAlias = Callable[[TrendQuery], str]


def window(view: TrendView | ElementView, link: Link) -> WindowControl:
    """So many days, or others, with those before and after the ones shown."""
    earlier, later = _later_and_earlier(view, link)
    return window_control(view.query, _ranges(view), (view.first, view.last), earlier=earlier, later=later)


def _ranges(view: TrendView | ElementView) -> list[Choice]:
    """So many newest days, as far as so many are held, or weeks."""
    query, span = view.query, view.span
    chosen = (query.days or DEFAULT_DAYS[view.step]) if query.first is None and query.last is None else None
    *lengths, longest = RANGES[view.step]
    held, newest = (span.days, span.last) if span is not None else (0, None)
    offered = {days for days in lengths if days <= held or days == DEFAULT_DAYS[view.step]}
    offered |= {chosen} if chosen else set()

    def words(days: int) -> str:
        if days == longest > held:
            return _("All days")
        return relative_weeks(days // 7, newest) if view.step == 7 and days % 7 == 0 else relative(days, newest)

    if held > max(offered):
        offered.add(longest)
    # A form that says nothing of the days means the usual number of its step.
    usual = DEFAULT_DAYS[view.step]
    return [Choice("" if days == usual else str(days), words(days), days == chosen) for days in sorted(offered)]


def _later_and_earlier(view: TrendView | ElementView, link: Link) -> tuple[Neighbour | None, Neighbour | None]:
    """The days before those shown, and those after, as many; none where nothing is counted."""
    query, span = view.query, view.span
    if span is None or view.first is None or view.last is None:
        return None, None
    first, last = view.first, view.last
    if view.step == 7 and page_kind(view.version).weeks_begin_on_monday:
        # Weeks are shown from their Monday on.
        first -= first.weekday() * _DAY
    days = (query.days or DEFAULT_DAYS[view.step]) if query.first is None else (view.last - view.first).days + 1
    length = (days - 1) * _DAY
    earlier = later = None
    if first > span.first:
        end = min(first - _DAY, span.last)
        earlier = _beside(query, max(end - length, EARLIEST), end, link)
    if last < span.last:
        end = last + days * _DAY
        # The newest days, however many have come since.
        newest = query.first is None and end >= span.last
        later = (
            _newest(query, span.last - length, span.last, link) if newest else _beside(query, end - length, end, link)
        )
    return earlier, later


def _beside(query: TrendQuery, first: datetime.date, last: datetime.date, link: Link) -> Neighbour:
    there = replace(query, last=last) if query.first is None else replace(query, first=first, last=last)
    return neighbour(link(there), first, last)


def _newest(query: TrendQuery, first: datetime.date, last: datetime.date, link: Link) -> Neighbour:
    return neighbour(link(replace(query, last=None)), first, last)
