"""Comparisons for programs."""

from http import HTTPStatus

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from reports import access
from reports.results import QueryError, page_address
from reports.results.comparison import ComparisonQuery, comparison_view
from reports.viewings import record_viewing
from reports.web.api import descriptions
from reports.web.api.problem_details import problem


@descriptions.comparison
@api_view(["GET"])
def comparison(request: Request, slug: str) -> Response:
    """Two locales or two windows side by side, as their page shows them."""
    use_case = get_object_or_404(access.use_cases(request.user, "view"), slug=slug)
    try:
        view = comparison_view(use_case, ComparisonQuery.from_parameters(request.query_params))
    except QueryError as error:
        return problem(HTTPStatus.BAD_REQUEST, "bad-parameter", f"{error.field}: {error}")
    document = view.document()
    if document is None:
        detail = _("The two sides cannot be compared, or one of them is not published.")
        return problem(HTTPStatus.NOT_FOUND, view.state, detail, state=view.state)
    record_viewing(request.user, use_case, "api")
    return Response(document | {"address": page_address(request, "compare", use_case, view.exact())})
