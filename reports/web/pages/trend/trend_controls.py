"""What one may choose on the page of a trend, and the addresses of the choices."""

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from reports.models import Version
from reports.results.trend import DEFAULT_DAYS, MOST_ELEMENTS, Element, Series, TrendQuery, TrendView, suggested
from reports.web.pages.addresses import element_address
from reports.web.pages.choices import Choice, locale_choices, version_choices
from reports.web.pages.trend.axis import later_and_earlier, ranges
from reports.web.pages.trend.trend_words import point_words


class Chosen:
    """An element of the trend, as the key of the chart."""

    def __init__(self, view: TrendView, number: int, series: Series) -> None:
        self.number = number
        self.element = series.element
        shown = zip(reversed(series.slots), reversed(series.points), strict=True)
        # In the newest window that shows something.
        self.newest = next((point_words(slot, point) for slot, point in shown if slot.histogram is not None), "")
        self.page = element_address(view.use_case.slug, series.element.text, view.query.version)
        rest = tuple(text for each in view.series if (text := each.element.text) != series.element.text)
        # Empty for the last one, without which the largest would come back.
        self.remove = link(replace(view.query, elements=rest), view) if rest else ""


class Controls:
    """Everything the forms show."""

    def __init__(self, view: TrendView, version: Version) -> None:
        def linked(query: TrendQuery) -> str:
            return link(query, view)

        self.locales = locale_choices(version, view.locale)
        self.versions = version_choices(version)
        self.steps = [Choice(str(step), words, step == view.step) for step, words in step_labels(version).items()]
        self.ranges = ranges(view, linked)
        self.earlier, self.later = later_and_earlier(view, linked)
        # Which are results: only beside others.
        self.suggestions = [] if view.is_empty else suggested(version, view.locale)
        self.may_add = 0 < len(view.series) < MOST_ELEMENTS
        # What the forms must send along, names and values: that of the whole page, and that which adds an element.
        parameters = page_parameters(view.query, view)
        rest = [(name, value) for name, values in parameters.items() for value in values if name != "element"]
        elements = [("element", text) for text in view.query.elements]
        self.kept = [*elements, *(pair for pair in rest if pair[0] == "days")]
        self.kept_adding = [*(("element", series.element.text) for series in view.series), *rest]


def controls(view: TrendView) -> Controls | None:
    """None if there is no version, and so nothing to choose."""
    return None if view.version is None else Controls(view, view.version)


def step_labels(version: Version) -> dict[int, str]:
    """The steps that a trend may have, the usual one first."""
    if version.discovery is None:
        return {1: _("Days"), 7: _("Weeks, Monday to Sunday")}
    return {7: _("Lists of up to seven days"), 1: _("Lists of single days")}


def chosen(view: TrendView) -> list[Chosen]:
    """The elements shown, each with a link that leaves it out."""
    return [Chosen(view, number, series) for number, series in enumerate(view.series, 1)]


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
