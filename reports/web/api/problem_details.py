"""Errors as RFC 9457 problem details, with a `type` that clients may rely on."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from reports.collection.ingest import Refusal, UploadRefused
from reports.results import QueryError
from reports.storage import RETRY_SECONDS, StorageUnavailable
from reports.web import database_errors

TYPE = "urn:ldpsite:problem:"
PROBLEM_TYPE = "application/problem+json"

_REFUSALS_BY_STATUS = {
    HTTPStatus.BAD_REQUEST: (Refusal.EMPTY, Refusal.BROKEN, Refusal.SENDER_LEFT),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: (Refusal.TOO_LARGE, Refusal.EXPANDS, Refusal.TOO_COSTLY),
    HTTPStatus.SERVICE_UNAVAILABLE: (Refusal.STORAGE_UNAVAILABLE, Refusal.BUSY),
}


def status_of(refusal: Refusal) -> HTTPStatus:
    """Return the status of a refusal; most say that the content, though readable, is not taken."""
    found = (status for status, refusals in _REFUSALS_BY_STATUS.items() if refusal in refusals)
    return next(found, HTTPStatus.UNPROCESSABLE_ENTITY)


def problem(status: int, kind: str, detail: str, *, retry_after: int | None = None, **extension: object) -> Response:
    """Answer with a problem. `kind` is its stable name; `detail` is for people."""
    body = {"type": TYPE + kind, "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **extension}
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return Response(body, status=status, headers=headers, content_type=PROBLEM_TYPE)


class Problem(APIException):
    """A request that is not answered as it was hoped for: a problem's status, stable name and words."""

    def __init__(self, status: HTTPStatus, kind: str, detail: str, retry_after: int | None = None) -> None:
        super().__init__(detail, kind)
        self.status_code = status
        self.wait = retry_after


def _refused_upload(error: UploadRefused) -> Response:
    return problem(
        status_of(error.refusal),
        error.refusal,
        error.detail,
        retry_after=error.retry_after,
        rejected=error.rejected,
        errors=[asdict(item) for item in error.problems],
    )


@extend_schema(exclude=True)
@api_view(["GET", "POST", "PUT", "PATCH", "DELETE"])
def nowhere(request: Request) -> Response:
    raise Http404


def problem_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Put the framework's own errors into this form, and those of queries, uploads, the storage and the database."""
    unavailable = HTTPStatus.SERVICE_UNAVAILABLE
    if isinstance(error, QueryError):
        return problem(HTTPStatus.BAD_REQUEST, "bad-parameter", f"{error.field}: {error}")
    if isinstance(error, UploadRefused):
        return _refused_upload(error)
    if isinstance(error, StorageUnavailable):
        words = _("This is added up from stored files, which cannot be read now. Ask again later.")
        return problem(unavailable, Refusal.STORAGE_UNAVAILABLE, words, retry_after=RETRY_SECONDS)
    if database_errors.is_database_away(error):
        words = _("The database does not answer now. Send the same again later.")
        return problem(unavailable, "database-unavailable", words, retry_after=database_errors.RETRY_SECONDS)
    response = exception_handler(error, context)
    if response is None:
        return None
    kind, detail = "error", ""
    if isinstance(error, APIException):
        codes = error.get_codes()
        kind = codes.replace("_", "-") if isinstance(codes, str) else "invalid"
        detail = str(error.detail)
    elif isinstance(error, Http404):
        kind, detail = "not-found", _("There is nothing here, or nothing that you may see.")
    answer = problem(response.status_code, kind, detail)
    for name, value in response.items():
        if name.lower() != "content-type":
            answer[name] = value
    return answer
