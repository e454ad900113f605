"""What each view of the API takes and gives, for its OpenAPI description. Each is put on a view as a decorator."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from reports.collection.ingest import ENCODINGS
from reports.web.api import parameters, serializers

PROBLEM_TYPE = "application/problem+json"
Decorator = Callable[[Any], Any]


def _problems(**names: str) -> dict[tuple[int, str], OpenApiResponse]:
    """By the name of a status, the names of the problems that have it."""
    return {
        (HTTPStatus[status].value, PROBLEM_TYPE): OpenApiResponse(serializers.ProblemSerializer, words)
        for status, words in names.items()
    }


_CLOSED = _problems(
    UNAUTHORIZED="not-authenticated; authentication-failed: the token is not known, or is revoked, or has expired",
    NOT_FOUND="not-found: there is nothing, or not for you",
)
_FORGED = _problems(FORBIDDEN="permission-denied: a session without its token against forgery")
_AWAY = _problems(SERVICE_UNAVAILABLE="database-unavailable: ask again later")
_NEGOTIATED = _problems(NOT_ACCEPTABLE="not-acceptable: answers are JSON")


def _header(name: str, words: str, schema: dict[str, Any], *statuses: int, required: bool = False) -> OpenApiParameter:
    """A header of requests, or of answers with these statuses."""
    return OpenApiParameter(
        name, schema, OpenApiParameter.HEADER, required, words, response=list(statuses) if statuses else False
    )


def _results(name: str, query: Any, answer: Any, words: str) -> Decorator:
    decorate: Decorator = extend_schema(
        operation_id=f"read_{name}",
        tags=["results"],
        parameters=[
            OpenApiParameter(
                "slug",
                {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"},
                OpenApiParameter.PATH,
                description="The use case.",
            ),
            query,
        ],
        responses={
            200: OpenApiResponse(answer, f"{words} Who reads it is noted."),
            **_problems(
                BAD_REQUEST="bad-parameter",
                SERVICE_UNAVAILABLE="storage-unavailable: stored files cannot be read now; database-unavailable: ask"
                " again later",
            ),
            **_CLOSED,
            **_NEGOTIATED,
        },
    )
    return decorate


_KEY = {"type": "string", "pattern": "^[!-~]+$", "maxLength": 255}
_SECONDS = {"type": "integer", "minimum": 1}

upload: Decorator = extend_schema(
    operation_id="upload_batch",
    tags=["collecting"],
    request={
        "application/json": serializers.UploadDocumentSerializer,
        "application/x-ndjson": {"type": "string", "description": "One upload document a line."},
    },
    parameters=[
        parameters.UPLOAD,
        _header(
            "Idempotency-Key",
            "Visible ASCII. The same upload under the same key is stored once.",
            _KEY | {"minLength": 1},
        ),
        _header("Content-Encoding", "How the body is packed.", {"type": "string", "enum": list(ENCODINGS)}),
        _header(
            "Location",
            "Where to ask what has become of the batch, if one is named.",
            {"type": "string", "format": "uri"},
            202,
        ),
        _header("Retry-After", "Seconds to wait.", _SECONDS, 503),
    ],
    responses={
        202: OpenApiResponse(serializers.ReceiptSerializer, "Stored, or stored before."),
        **_problems(
            BAD_REQUEST="empty-upload; broken-upload; connection-closed; bad-idempotency-key; bad-parameter",
            LENGTH_REQUIRED="length-required: no Content-Length",
            REQUEST_ENTITY_TOO_LARGE="upload-too-large; decompression-bomb; upload-too-costly",
            UNSUPPORTED_MEDIA_TYPE="unsupported-media-type; unsupported-encoding",
            UNPROCESSABLE_ENTITY="nothing-usable; too-little-in-upload; strict-upload-refused; day-not-open;"
            " idempotency-key-reused",
            SERVICE_UNAVAILABLE="storage-unavailable; database-unavailable; too-many-uploads: send it again later",
        ),
        **_CLOSED,
        **_FORGED,
        **_NEGOTIATED,
    },
)

batch: Decorator = extend_schema(
    operation_id="read_batch",
    tags=["collecting"],
    responses={
        200: OpenApiResponse(serializers.BatchSerializer, "What has become of it."),
        **_AWAY,
        **_CLOSED,
        **_NEGOTIATED,
    },
)

histogram = _results(
    "histogram",
    parameters.HISTOGRAM,
    serializers.HistogramSerializer,
    "All release periods that lie in the window.",
)
comparison = _results(
    "comparison",
    parameters.COMPARISON,
    serializers.ComparisonSerializer,
    "What is above the threshold on one side at least. Without windows the newest that both locales have; of one"
    " locale the newest against the one before.",
)
trend = _results("trend", parameters.TREND, serializers.TrendSerializer, "A point for each window and element.")

device_reports: Decorator = extend_schema(
    operation_id="send_device_reports",
    tags=["devices"],
    request={"application/json": serializers.UploadDocumentSerializer},
    parameters=[
        _header(
            "Idempotency-Key",
            "A new random text for each document, and the same for each attempt to send it. Another document under a"
            " key that is known is answered with 202 as well, and dropped: of a document nothing is kept to compare it"
            " with, only a keyed digest of its key.",
            _KEY | {"minLength": 16},
            required=True,
        ),
        _header("Retry-After", "Seconds to wait.", _SECONDS, 429, 503),
    ],
    responses={
        202: OpenApiResponse(
            serializers.DeviceAnswerSerializer, "The records are stored, or the key was known and nothing is added."
        ),
        **_problems(
            BAD_REQUEST="empty-upload; broken-upload; bad-idempotency-key",
            LENGTH_REQUIRED="length-required: no Content-Length",
            REQUEST_ENTITY_TOO_LARGE="upload-too-large",
            UNSUPPORTED_MEDIA_TYPE="unsupported-media-type; unsupported-encoding",
            UNPROCESSABLE_ENTITY="nothing-usable; over-daily-limit",
            TOO_MANY_REQUESTS="throttled: too many documents of all devices together",
            SERVICE_UNAVAILABLE="database-unavailable: send the same again later",
        ),
    },
)

device_configuration: Decorator = extend_schema(
    operation_id="read_device_configuration",
    tags=["devices"],
    parameters=[
        _header("If-None-Match", "The entity tag of what one has already.", {"type": "string"}),
        _header(
            "ETag",
            "The SHA-256 of the body.",
            {"type": "string", "pattern": '^"[0-9a-f]{64}"$'},
            200,
            304,
        ),
    ],
    responses={
        200: OpenApiResponse(serializers.DeviceConfigurationSerializer, "The same bytes for everybody."),
        304: OpenApiResponse(None, "It has not changed."),
        **_AWAY,
    },
)

description: Decorator = extend_schema(
    operation_id="read_description",
    tags=["description"],
    responses={
        200: OpenApiResponse({"type": "object"}, "This document."),
        **_AWAY,
        **{key: answer for key, answer in _CLOSED.items() if key[0] == HTTPStatus.UNAUTHORIZED},
        **_NEGOTIATED,
    },
)

nothing: Decorator = extend_schema(exclude=True)


def complete(result: Any, **_more: object) -> Any:
    """Add what the framework does not find out by itself; it calls this at the end."""
    _close(result)
    for path in result["paths"].values():
        for operation in path.values():
            if "requestBody" in operation:
                operation["requestBody"]["required"] = True
    return result


def _close(part: Any) -> None:
    """Say that objects have no other fields, and drop the framework's own marks."""
    if isinstance(part, dict):
        part.pop("x-spec-enum-id", None)
        if "properties" in part:
            part["additionalProperties"] = False
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _close(each)
