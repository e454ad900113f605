"""Lists of what there is to read: use cases, and the versions, locales and windows of each."""

from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from reports import access
from reports.models import UseCase
from reports.results import (
    HistogramQuery,
    default_version,
    known_versions,
    number_parameter,
    shown_locales,
    shown_windows,
    with_versions,
)
from reports.web.api import descriptions, query_parameters
from reports.web.api.reading import page_of, reads
from reports.web.api.serializers import (
    ShownLocaleSerializer,
    UseCaseSerializer,
    VersionSerializer,
    WindowSerializer,
)


@descriptions.use_cases
@reads(query_parameters.PAGE)
def use_cases(request: Request) -> Response:
    """The use cases that one may view, by their identifiers."""
    return page_of(request, access.use_cases(request.user, "view").order_by("slug"), UseCaseSerializer)


@descriptions.versions
@reads(query_parameters.PAGE)
def versions(request: Request, slug: str) -> Response:
    """The versions of a use case, the newest first."""
    use_case = _use_case(request, slug)
    return page_of(request, known_versions(use_case), VersionSerializer, default=default_version(use_case))


@descriptions.locales
@reads(query_parameters.LOCALES)
def locales(request: Request, slug: str) -> Response:
    """The locales of a version, in its order, and of which days something is shown."""
    found = shown_locales(_use_case(request, slug), number_parameter(request.query_params, "version"))
    return page_of(request, found, ShownLocaleSerializer)


@descriptions.windows
@reads(query_parameters.WINDOWS)
def windows(request: Request, slug: str) -> Response:
    """The smallest windows of a locale that are shown: its release periods, or those of its lists of words."""
    query = HistogramQuery.from_parameters(request.query_params)
    return page_of(request, shown_windows(_use_case(request, slug), query), WindowSerializer)


def _use_case(request: Request, slug: str) -> UseCase:
    """Find a use case that one may view. Raises Http404."""
    return get_object_or_404(with_versions(access.use_cases(request.user, "view")), slug=slug)
