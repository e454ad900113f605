"""Uploading batches. The body streams through the check; nothing is stored unless all of it arrived."""

import uuid
from collections.abc import Mapping
from http import HTTPStatus
from typing import BinaryIO, Literal, cast

from django.conf import settings
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from reports import access
from reports.api import descriptions
from reports.api.problems import described, problem, refused_upload
from reports.ingest import ENCODINGS, Key, Refusal, Upload, UploadRefused, ingest
from reports.models import ApiToken, Batch
from reports.results import QueryError
from reports.results.query import date_parameter

_FORMATS: dict[str, Literal["json", "ndjson"]] = {"application/json": "json", "application/x-ndjson": "ndjson"}


@descriptions.upload
@api_view(["POST"])
def upload(request: Request) -> Response:
    """Store a batch: 202 with its address, or a problem and nothing stored."""
    if not access.may_upload(request.user):
        raise Http404
    use_cases = access.use_cases(request.user, "upload")
    header = _read_header(request)
    if isinstance(header, Response):
        return header
    try:
        day = date_parameter(request.query_params, "day")
        strict = _strict(request.query_params)
    except QueryError as error:
        return problem(HTTPStatus.BAD_REQUEST, "bad-parameter", f"{error.field}: {error}")
    key = _idempotency_key(request)
    if key is not None and not key.well_formed:
        return problem(
            HTTPStatus.BAD_REQUEST,
            "bad-idempotency-key",
            _("An Idempotency-Key has 1 to 255 visible ASCII characters, without spaces; a UUID is a good one."),
        )
    try:
        receipt = ingest(header, use_cases, day=day, strict=strict, key=key)
    except UploadRefused as refused:
        return refused_upload(refused)
    body = {
        "batch": str(receipt.batch),
        "status": "duplicate" if receipt.duplicate else "stored",
        "accepted": receipt.accepted,
        "rejected": receipt.rejected,
        "errors": described(receipt.problems),
    }
    location = request.build_absolute_uri(reverse("api_batch", args=[receipt.batch]))
    return Response(body, status=HTTPStatus.ACCEPTED, headers={"Location": location})


def _strict(parameters: Mapping[str, str]) -> bool:
    """A switch that is misspelt, or whose name is, must not be off in silence."""
    if unknown := sorted(parameters.keys() - {"day", "strict"}):
        raise QueryError(unknown[0][:40], _("There is no such parameter."))
    value = parameters.get("strict", "false")
    if value not in ("true", "false"):
        raise QueryError("strict", _("Write true or false."))
    return value == "true"


def _idempotency_key(request: Request) -> Key | None:
    """The key, which is the sender's own. With other parameters the same body is another upload."""
    text = request.headers.get("Idempotency-Key")
    if text is None:
        return None
    person = cast(access.Person, request.user)
    sender = f"{'token' if isinstance(person, ApiToken) else 'person'} {person.pk}"
    context = (request.query_params.get("day", ""), request.query_params.get("strict", ""))
    return Key(sender, text.strip(" \t"), context)


def _read_header(request: Request) -> Upload | Response:
    """How the body is written, or the problem with what its header says."""
    content_type = request.content_type.partition(";")[0].strip().lower()
    if content_type not in _FORMATS:
        return problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported-media-type",
            _("Send application/json or application/x-ndjson."),
        )
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ENCODINGS:
        return problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "unsupported-encoding",
            _("Send the body plain, or encoded with gzip or zstd."),
        )
    # Without a length a body looks empty here, and a truncated one complete.
    length = request.META.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit()):
        return problem(HTTPStatus.LENGTH_REQUIRED, "length-required", _("Send a Content-Length."))
    # Of a number of endless digits nothing is converted.
    if len(length) > 19 or int(length) > settings.LDPSITE_MAX_RECEIVED_BYTES:
        detail = _("The upload is larger than this server takes; split it.")
        return refused_upload(UploadRefused(Refusal.TOO_LARGE, detail))
    stream = cast(BinaryIO, request._request)
    return Upload(stream, _FORMATS[content_type], encoding, int(length))


@descriptions.batch
@api_view(["GET"])
def batch(request: Request, batch_id: uuid.UUID) -> Response:
    """What became of a batch. Not when it came: the day is the finest time kept."""
    found = get_object_or_404(access.batches(request.user), pk=batch_id)
    return Response(
        {
            "batch": str(found.pk),
            "status": "withdrawn" if found.state == Batch.State.WITHDRAWN else "stored",
            "day": found.day.isoformat(),
            "accepted": found.accepted,
            "rejected": found.rejected,
        }
    )
