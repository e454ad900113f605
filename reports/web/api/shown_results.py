"""Histograms, comparisons, trends and changes for programs: the documents of their pages."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Protocol, TypeVar

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from reports import access
from reports.models import UseCase
from reports.results import HistogramQuery, State, histogram_view, page_address
from reports.results.changes import ChangesQuery, changes_document, changes_view, site_changes_document
from reports.results.changes import site_changes as changes_of
from reports.results.comparison import ComparisonQuery, comparison_view
from reports.results.locales_together import LocalesQuery, locales_document, locales_view
from reports.results.trend import TrendQuery, trend_document, trend_view
from reports.viewings import record_viewing, record_viewings
from reports.web.api import descriptions, query_parameters
from reports.web.api.problem_details import problem
from reports.web.api.reading import reads


class View(Protocol):
    """View of a page's content, of which the query in full leads back to the page."""

    @property
    def state(self) -> State: ...

    def exact(self) -> Any: ...


Found = TypeVar("Found", bound=View)


@descriptions.histogram
@reads(query_parameters.HISTOGRAM)
def histogram(request: Request, slug: str) -> Response:
    """The histogram of a window, as its page shows it."""
    nothing = _("No histogram is published for this window.")
    return _answer(request, slug, nothing, "use_case", HistogramQuery, histogram_view, lambda view: view.document())


@descriptions.comparison
@reads(query_parameters.COMPARISON)
def comparison(request: Request, slug: str) -> Response:
    """Two locales or two windows side by side, as their page shows them."""
    nothing = _("The two sides cannot be compared, or one of them is not published.")
    return _answer(request, slug, nothing, "compare", ComparisonQuery, comparison_view, lambda view: view.document())


@descriptions.trend
@reads(query_parameters.TREND)
def trend(request: Request, slug: str) -> Response:
    """Elements of a locale over days, as their page shows them."""
    nothing = _("No histogram is published for these days.")
    return _answer(request, slug, nothing, "trend", TrendQuery, trend_view, trend_document)


@descriptions.changes
@reads(query_parameters.CHANGES)
def changes(request: Request, slug: str) -> Response:
    """Changes from one window to the next in all locales as their page shows them."""
    nothing = _("There are no two windows to compare here.")
    return _answer(request, slug, nothing, "changes", ChangesQuery, changes_view, changes_document)


@descriptions.site_changes
@reads()
def site_changes(request: Request) -> Response:
    """All clear changes of the newest week, in all use cases together."""
    running = access.use_cases(request.user, "view").exclude(state=UseCase.State.ARCHIVED)
    found = changes_of(list(running.order_by("title", "pk")))
    record_viewings(request.user, [each.version.use_case for each in found], "api")
    return Response(site_changes_document(found) | {"address": request.build_absolute_uri(reverse("site_changes"))})


@descriptions.all_locales
@reads(query_parameters.ALL_LOCALES)
def all_locales(request: Request, slug: str) -> Response:
    """The top of each locale in all of them, as their page shows them."""
    nothing = _("Nothing is published for this window.")
    return _answer(request, slug, nothing, "locales", LocalesQuery, locales_view, locales_document)


def _answer(
    request: Request,
    slug: str,
    nothing: str,
    page: str,
    query: Any,
    find: Callable[[UseCase, Any], Found],
    document_of: Callable[[Found], dict[str, Any] | None],
) -> Response:
    """Answer with a document and note the viewing, or say why there is none. Raises `QueryError`."""
    use_case = get_object_or_404(access.use_cases(request.user, "view"), slug=slug)
    view = find(use_case, query.from_parameters(request.query_params))
    document = document_of(view)
    if document is None:
        return problem(HTTPStatus.NOT_FOUND, view.state, nothing, state=view.state)
    record_viewing(request.user, use_case, "api")
    return Response(document | {"address": page_address(request, page, use_case, view.exact())})
