"""Addresses: of views of a use case's page, of elements, and of files. Each view has one."""

from functools import lru_cache
from typing import Protocol
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import get_script_prefix, reverse

from reports.models import Version
from reports.results import USUAL_DAYS, HistogramQuery, HistogramView

DEFAULT_TOP = 20
# A page of a dictionary opens with the newest of these. All days are a window, too: a longer one than any.
DEFAULT_DAYS = USUAL_DAYS


class Query(Protocol):
    def parameters(self) -> dict[str, str]: ...


class View(Protocol):
    @property
    def version(self) -> Version | None: ...

    @property
    def default_version(self) -> Version | None: ...


def short_parameters(query: Query, view: View, **defaults: str) -> dict[str, str]:
    """Return the query string's content without what a page assumes anyway: one view, one address."""
    if view.version is not None and view.version == view.default_version:
        defaults["version"] = str(view.version.number)
    return {name: value for name, value in query.parameters().items() if defaults.get(name) != value}


def short_link(query: Query, view: View, **defaults: str) -> str:
    """Return a link on the page, relative to it."""
    return f"?{urlencode(short_parameters(query, view, **defaults))}"


def page_parameters(query: HistogramQuery, view: HistogramView) -> dict[str, str]:
    """Return the parameters of a histogram's page."""
    defaults = {"top": str(DEFAULT_TOP)}
    if query.last is None:
        defaults["days"] = str(DEFAULT_DAYS)
    if view.version is not None:
        defaults["locale"] = view.version.locales[0]
    return short_parameters(query, view, **defaults)


def link(query: HistogramQuery, view: HistogramView) -> str:
    """A link on the page, relative to it."""
    return f"?{urlencode(page_parameters(query, view))}"


def element_parameters(text: str, version: int | None) -> dict[str, str]:
    """The query string that names an element as people write it, of a version or of the one that is shown anyway."""
    return {"element": text} | ({"version": str(version)} if version is not None else {})


def element_address(slug: str, text: str, version: int | None = None) -> str:
    return f"{_element_page(slug, get_script_prefix())}?{urlencode(element_parameters(text, version))}"


# A page has a hundred elements of one use case.
@lru_cache(maxsize=256)
def _element_page(slug: str, _prefix: str) -> str:
    return reverse("element", args=[slug])


def exact_address(request: HttpRequest, parameters: str) -> str:
    """The whole address of a page with other parameters, to be sent to another person."""
    return request.build_absolute_uri(f"{request.path}?{parameters}")
