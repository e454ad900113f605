"""Uploading batches. The body streams through the check; nothing is stored unless all of it arrived."""

import uuid
from collections.abc import Mapping
from http import HTTPStatus
from typing import BinaryIO, Literal, cast

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from reports import access
from reports.collection.ingest import ENCODINGS, Encoding, Key, Upload, ingest, upload_slot
from reports.models import ApiToken
from reports.results import QueryError, date_parameter
from reports.web.api import descriptions
from reports.web.api.bodies import Expected, announced_body
from reports.web.api.problem_details import Problem
from reports.web.api.reading import reads
from reports.web.api.serializers import BatchSerializer, ReceiptSerializer
from reports.web.connections import sender_left

_FORMATS: dict[str, Literal["json", "ndjson"]] = {"application/json": "json", "application/x-ndjson": "ndjson"}
_EXPECTED = Expected(
    content_types=_FORMATS.keys(),
    encodings=ENCODINGS,
    limit="LDPSITE_MAX_RECEIVED_BYTES",
    wrong_type=gettext_lazy("Send application/json or application/x-ndjson."),
    wrong_encoding=gettext_lazy("Send the body plain, or encoded with gzip or zstd."),
    too_large=gettext_lazy("The upload is larger than this server takes; split it."),
)


@descriptions.upload
@api_view(["POST"])
def upload(request: Request) -> Response:
    """Store a batch: 202 with its address, or a problem and nothing stored."""
    if not access.may_upload(request.user):
        raise Http404
    use_cases = access.use_cases(request.user, "upload")
    announced = announced_body(request, _EXPECTED)
    day = date_parameter(request.query_params, "day")
    strict = _strict(request.query_params)
    key = _idempotency_key(request)
    if key is not None and not key.well_formed:
        raise Problem(
            HTTPStatus.BAD_REQUEST,
            "bad-idempotency-key",
            _("An Idempotency-Key has 1 to 255 visible ASCII characters, without spaces; a UUID is a good one."),
        )
    stream = cast(BinaryIO, request._request)
    encoding = cast(Encoding, announced.encoding)
    form = _FORMATS[announced.content_type]
    sent = Upload(stream, form, encoding, announced.length, sender_left(request._request))
    with upload_slot(request.user):
        receipt = ingest(sent, use_cases, day=day, strict=strict, key=key)
    body = ReceiptSerializer(receipt).data
    if words := receipt.in_words():
        body["detail"] = words
    headers = {}
    if receipt.batch is not None:
        headers["Location"] = request.build_absolute_uri(reverse("api_batch", args=[receipt.batch]))
    return Response(body, status=HTTPStatus.ACCEPTED, headers=headers)


def _strict(parameters: Mapping[str, str]) -> bool:
    """A switch that is misspelt, or whose name is, must not be off in silence."""
    if parameters.keys() - {"day", "strict"}:
        # Its name is not repeated: nothing that was sent is.
        raise QueryError("query", _("The only parameters are day and strict."))
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


@descriptions.batch
@reads()
def batch(request: Request, batch_id: uuid.UUID) -> Response:
    """Outcome of a batch. Not when it came: the day is the finest time kept."""
    found = get_object_or_404(access.batches(request.user), pk=batch_id)
    return Response(BatchSerializer(found).data)
