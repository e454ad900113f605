"""What one may choose on the page of an element, and the addresses of the choices."""

from dataclasses import replace
from urllib.parse import urlencode

from reports.kinds import kind_of
from reports.results.element import ElementView
from reports.results.trend import DEFAULT_DAYS, TrendQuery
from reports.web.pages.addresses import element_parameters
from reports.web.pages.choices import Choice
from reports.web.pages.trend.trend_controls import step_labels


def page_parameters(query: TrendQuery, view: ElementView) -> dict[str, str]:
    """The query string's content: the element, and what is not as it would be without it."""
    step = query.step or view.step
    usual = {"step": str(kind_of(view.version).step), "days": str(DEFAULT_DAYS[step])}
    window = replace(query, step=step).parameters()
    version = view.version.number if view.version != view.default else None
    return element_parameters(view.element.text, version) | {
        name: window[name][0]
        for name in ("step", "from", "to", "days")
        if name in window and window[name][0] != usual.get(name)
    }


def link(query: TrendQuery, view: ElementView) -> str:
    """A link on the page, relative to it."""
    return f"?{urlencode(page_parameters(query, view))}"


def steps(view: ElementView) -> list[Choice]:
    """Weeks may be published where days have too few reports; of as many days as are usual for them."""
    labels = step_labels(view.version)
    return [Choice(link(TrendQuery(step=step), view), words, step == view.step) for step, words in labels.items()]
