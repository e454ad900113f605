"""Pages in place of one that failed in a way that no view has foreseen."""

import sys
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import defaults

from reports.web.database_errors import RETRY_SECONDS, is_database_away


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 503 while the database is away, wherever that was noticed: in a view, a middleware or another answer."""
    error = sys.exc_info()[1]
    if not isinstance(error, Exception) or not is_database_away(error):
        return defaults.server_error(request)
    # Without the request: to say whose page it is would need the database.
    answer = HttpResponse(render_to_string("503_database.html"), status=HTTPStatus.SERVICE_UNAVAILABLE)
    answer.headers["Retry-After"] = str(RETRY_SECONDS)
    return answer
