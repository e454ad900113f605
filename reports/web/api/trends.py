"""Trends for programs."""

from http import HTTPStatus

from django.http import QueryDict
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from reports import access
from reports.results import QueryError, page_address
from reports.results.trend import TrendQuery, trend_document, trend_view
from reports.viewings import record_viewing
from reports.web.api import descriptions
from reports.web.api.problem_details import problem


@descriptions.trend
@api_view(["GET"])
def trend(request: Request, slug: str) -> Response:
    """Elements of a locale over days, as their page shows them."""
    use_case = get_object_or_404(access.use_cases(request.user, "view"), slug=slug)
    parameters: QueryDict = request.query_params
    try:
        view = trend_view(use_case, TrendQuery.from_parameters(parameters))
    except QueryError as error:
        return problem(HTTPStatus.BAD_REQUEST, "bad-parameter", f"{error.field}: {error}")
    document = trend_document(view)
    if document is None:
        words = _("No histogram is published for these days.")
        return problem(HTTPStatus.NOT_FOUND, view.state, words, state=view.state)
    record_viewing(request.user, use_case, "api")
    return Response(document | {"address": page_address(request, "trend", use_case, view.exact())})
