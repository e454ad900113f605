"""Addresses of views of a use case's page: each view has one."""

from urllib.parse import urlencode

from reports.results import HistogramQuery, HistogramView

DEFAULT_TOP = 20


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
