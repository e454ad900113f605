"""Errors as RFC 9457 problem details, with a `type` that clients may rely on."""

from http import HTTPStatus
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from reports.collection.ingest import Problem, Refusal, UploadRefused
from reports.storage import RETRY_SECONDS, StorageUnavailable
from reports.web import database_errors
from reports.web.api import descriptions

TYPE = "urn:ldpsite:problem:"

_STATUS_OF_REFUSAL = {
    Refusal.EMPTY: HTTPStatus.BAD_REQUEST,
    Refusal.BROKEN: HTTPStatus.BAD_REQUEST,
    Refusal.TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Refusal.NOTHING_USABLE: HTTPStatus.UNPROCESSABLE_ENTITY,
    Refusal.NOT_STRICT: HTTPStatus.UNPROCESSABLE_ENTITY,
    Refusal.WRONG_DAY: HTTPStatus.UNPROCESSABLE_ENTITY,
    Refusal.KEY_REUSED: HTTPStatus.UNPROCESSABLE_ENTITY,
    Refusal.OVER_LIMIT: HTTPStatus.UNPROCESSABLE_ENTITY,
    Refusal.STORAGE_UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    Refusal.TOO_LITTLE: HTTPStatus.UNPROCESSABLE_ENTITY,
    Refusal.EXPANDS: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Refusal.TOO_COSTLY: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Refusal.SENDER_LEFT: HTTPStatus.BAD_REQUEST,
    Refusal.BUSY: HTTPStatus.SERVICE_UNAVAILABLE,
}


def problem(status: int, kind: str, detail: str, **extension: object) -> Response:
    """A problem response. `kind` is its stable name; `detail` is for people."""
    body = {"type": TYPE + kind, "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **extension}
    return Response(body, status=status, content_type="application/problem+json")


def described(problems: list[Problem]) -> list[dict[str, Any]]:
    return [{"line": item.line, "pointer": item.pointer, "detail": item.detail} for item in problems]


def refused_upload(error: UploadRefused) -> Response:
    answer = problem(
        _STATUS_OF_REFUSAL[error.refusal],
        error.refusal,
        error.detail,
        rejected=error.rejected,
        errors=described(error.problems),
    )
    if error.retry_after is not None:
        answer["Retry-After"] = str(error.retry_after)
    return answer


@descriptions.nothing
@api_view(["GET", "POST", "PUT", "PATCH", "DELETE"])
def nowhere(request: Request) -> Response:
    raise Http404


def _unavailable(kind: str, detail: str, retry_after: int) -> Response:
    answer = problem(HTTPStatus.SERVICE_UNAVAILABLE, kind, detail)
    answer["Retry-After"] = str(retry_after)
    return answer


def problem_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """The framework's own errors in the same form, and those of a storage or a database that does not answer."""
    if isinstance(error, StorageUnavailable):
        words = _("This is added up from stored files, which cannot be read now. Ask again later.")
        return _unavailable(Refusal.STORAGE_UNAVAILABLE, words, RETRY_SECONDS)
    if database_errors.is_database_away(error):
        words = _("The database does not answer now. Send the same again later.")
        return _unavailable("database-unavailable", words, database_errors.RETRY_SECONDS)
    response = exception_handler(error, context)
    if response is None:
        return None
    kind, detail = "error", ""
    if isinstance(error, APIException):
        codes = error.get_codes()
        kind = codes.replace("_", "-") if isinstance(codes, str) else "invalid"
        detail = str(error.detail)
    elif isinstance(error, Http404):
        kind, detail = "not-found", _("There is nothing at this address, or not for you.")
    answer = problem(response.status_code, kind, detail)
    for name, value in response.items():
        if name.lower() != "content-type":
            answer[name] = value
    return answer
