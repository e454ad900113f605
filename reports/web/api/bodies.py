"""Headers of requests that have a body: whether the server can take it, before any of it is read."""

from collections.abc import Collection
from contextlib import suppress
from http import HTTPStatus
from typing import NamedTuple

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from rest_framework.request import Request

from reports.collection.ingest import Refusal, UploadRefused
from reports.web.api.problem_details import Problem


class Expected(NamedTuple):
    """Expectation of an address, and what is said to those who send something else."""

    content_types: Collection[str]
    encodings: Collection[str]
    # The setting with the most bytes as they are received.
    limit: str
    wrong_type: Promise
    wrong_encoding: Promise
    too_large: Promise


class Body(NamedTuple):
    content_type: str
    encoding: str
    length: int


def announced_body(request: Request, expected: Expected) -> Body:
    """Read from the header how the body is written. Raises `Problem`; `UploadRefused` if it is too large."""
    content_type = request.META.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if content_type not in expected.content_types:
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", str(expected.wrong_type))
    encoding = request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower()
    if encoding not in expected.encodings:
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported-encoding", str(expected.wrong_encoding))
    # Without a length a body looks empty here, and a truncated one complete.
    length = request.META.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit()):
        raise Problem(HTTPStatus.LENGTH_REQUIRED, "length-required", _("Send a Content-Length."))
    # A number of endless digits is not converted at all.
    if len(length) > 19 or int(length) > getattr(settings, expected.limit):
        raise UploadRefused(Refusal.TOO_LARGE, str(expected.too_large))
    return Body(content_type, encoding, int(length))


def whole_body(request: Request, length: int) -> bytes:
    """Read a request's body to its end. Raises `UploadRefused` if it was cut short."""
    body = b""
    with suppress(OSError):  # the connection broke
        body = request._request.read(length)
    if len(body) < length:
        raise UploadRefused(Refusal.BROKEN, _("The document was cut short. Send it again, with the same key."))
    return body
