"""Histograms for programs."""

from http import HTTPStatus

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from reports import access
from reports.results import HistogramQuery, QueryError, histogram_view, page_address
from reports.viewings import record_viewing
from reports.web.api import descriptions
from reports.web.api.problem_details import problem


@descriptions.histogram
@api_view(["GET"])
def histogram(request: Request, slug: str) -> Response:
    """The histogram of a window, as its page shows it."""
    use_case = get_object_or_404(access.use_cases(request.user, "view"), slug=slug)
    try:
        view = histogram_view(use_case, HistogramQuery.from_parameters(request.query_params))
    except QueryError as error:
        return problem(HTTPStatus.BAD_REQUEST, "bad-parameter", f"{error.field}: {error}")
    document = view.document()
    if document is None:
        return problem(
            HTTPStatus.NOT_FOUND, view.state, _("No histogram is published for this window."), state=view.state
        )
    record_viewing(request.user, use_case, "api")
    return Response(document | {"address": page_address(request, "use_case", use_case, view.exact())})
