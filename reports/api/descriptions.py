"""What each view of the API takes and gives, for its OpenAPI description. Each is put on a view as a decorator."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from reports.api.components import COMPONENTS, JsonSchema
from reports.ingest import ENCODINGS
from reports.results import GROUPINGS, VALUES, WORDS
from reports.results.comparison.query import OTHER
from reports.results.comparison.query import SORTS as COMPARISON_SORTS
from reports.results.query import MOST_DAYS, SCALES, SORTS, UNITS
from reports.results.trend.query import MOST_ELEMENTS, STEPS

PROBLEM_TYPE = "application/problem+json"
Decorator = Callable[[Any], Any]


def _ref(component: str) -> JsonSchema:
    if component not in COMPONENTS:
        raise KeyError(component)
    return {"$ref": f"#/components/schemas/{component}"}


def _answer(component: str, words: str) -> OpenApiResponse:
    return OpenApiResponse(_ref(component), words)


def _problems(**names: str) -> dict[tuple[int, str], OpenApiResponse]:
    """By the name of a status, the names of the problems that have it."""
    return {(HTTPStatus[status].value, PROBLEM_TYPE): _answer("Problem", words) for status, words in names.items()}


_CLOSED = _problems(
    UNAUTHORIZED="not-authenticated; authentication-failed: the token is not known, or is revoked, or has expired",
    NOT_FOUND="not-found: there is nothing, or not for you",
)
_FORGED = _problems(FORBIDDEN="permission-denied: a session without its token against forgery")
_AWAY = _problems(SERVICE_UNAVAILABLE="database-unavailable: ask again later")
_STORED = _problems(
    SERVICE_UNAVAILABLE="storage-unavailable: stored files cannot be read now; database-unavailable: ask again later"
)
_NEGOTIATED = _problems(NOT_ACCEPTABLE="not-acceptable: answers are JSON")


def _parameter(name: str, words: str, schema: JsonSchema, *, required: bool = False) -> OpenApiParameter:
    return OpenApiParameter(name, schema, OpenApiParameter.QUERY, required, words)


def _header(name: str, words: str, schema: JsonSchema, *, required: bool = False) -> OpenApiParameter:
    return OpenApiParameter(name, schema, OpenApiParameter.HEADER, required, words)


def _given(name: str, words: str, schema: JsonSchema, *statuses: int) -> OpenApiParameter:
    """A header of the answers."""
    return OpenApiParameter(name, schema, OpenApiParameter.HEADER, description=words, response=list(statuses))


_KEY = {"type": "string", "pattern": "^[!-~]+$", "maxLength": 255}
_DATE = {"type": "string", "format": "date"}
_SLUG = {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"}

upload: Decorator = extend_schema(
    operation_id="upload_batch",
    tags=["collecting"],
    request={
        "application/json": _ref("UploadDocument"),
        "application/x-ndjson": {"type": "string", "description": "One upload document a line."},
    },
    parameters=[
        _parameter("day", "The day of UTC that the reports belong to; today if left out.", _DATE),
        _parameter(
            "strict", "Whether to refuse all at the first problem.", {"type": "string", "enum": ["true", "false"]}
        ),
        _header(
            "Idempotency-Key",
            "Visible ASCII. The same upload under the same key is stored once.",
            _KEY | {"minLength": 1},
        ),
        _header("Content-Encoding", "How the body is packed.", {"type": "string", "enum": list(ENCODINGS)}),
        _given(
            "Location",
            "Where to ask what has become of the batch, if one is named.",
            {"type": "string", "format": "uri"},
            202,
        ),
        _given("Retry-After", "Seconds to wait.", {"type": "integer", "minimum": 1}, 503),
    ],
    responses={
        202: _answer("Receipt", "Stored, or stored before."),
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
    responses={200: _answer("Batch", "What has become of it."), **_AWAY, **_CLOSED, **_NEGOTIATED},
)

histogram: Decorator = extend_schema(
    operation_id="read_histogram",
    tags=["results"],
    parameters=[
        OpenApiParameter("slug", _SLUG, OpenApiParameter.PATH, description="The use case."),
        _parameter("locale", "The first of the version if left out.", {"type": "string"}),
        _parameter("from", "The first day of the window.", _DATE),
        _parameter("to", "The last day of the window.", _DATE),
        _parameter(
            "days",
            "How many days the window has, in place of its first. It ends on the last day asked for, or on the newest"
            " that is shown. Not where words are discovered.",
            {"type": "integer", "minimum": 1, "maximum": MOST_DAYS},
        ),
        _parameter("version", "The newest that has results if left out.", {"type": "integer", "minimum": 1}),
        _parameter("group", "Groups in place of elements.", {"type": "string", "enum": list(GROUPINGS)}),
        _parameter("category", "Only elements of this category.", {"type": "string"}),
        _parameter(
            "top",
            "Only the first so many, in the order asked for.",
            {"type": "integer", "minimum": 1, "maximum": 999_999},
        ),
        _parameter("q", "Only what has this in its name.", {"type": "string"}),
        _parameter("sort", "The order; by rank if left out.", {"type": "string", "enum": list(SORTS)}),
        _parameter(
            "words",
            "Which discovered words; all but rejected ones if left out.",
            {"type": "string", "enum": list(WORDS)},
        ),
        _parameter(
            "values",
            "That the consistent estimates are what is wanted, only where the dictionary holds every possible element."
            " The raw ones are there, too.",
            {"type": "string", "enum": list(VALUES)},
        ),
        _parameter("unit", "Of the chart of the page; changes nothing here.", {"type": "string", "enum": list(UNITS)}),
        _parameter(
            "scale", "Of the chart of the page; changes nothing here.", {"type": "string", "enum": list(SCALES)}
        ),
    ],
    responses={
        200: _answer("Histogram", "All release periods that lie in the window. Who reads it is noted."),
        **_problems(BAD_REQUEST="bad-parameter"),
        **_STORED,
        **_CLOSED,
        **_NEGOTIATED,
    },
)

comparison: Decorator = extend_schema(
    operation_id="read_comparison",
    tags=["results"],
    parameters=[
        OpenApiParameter("slug", _SLUG, OpenApiParameter.PATH, description="The use case."),
        *(
            _parameter(f"{prefix}{name}", f"{words} of the {side} side.", schema)
            for prefix, side in (("", "first"), (OTHER, "second"))
            for name, words, schema in (
                ("locale", "The locale", {"type": "string"}),
                ("from", "The first day of the window", _DATE),
                ("to", "The last day of the window", _DATE),
                ("days", "The length of the window, in place of its first day,", {"type": "integer", "minimum": 1}),
            )
        ),
        _parameter("version", "The newest that has results if left out.", {"type": "integer", "minimum": 1}),
        _parameter(
            "top",
            "Only the first so many, in the order asked for.",
            {"type": "integer", "minimum": 1, "maximum": 999_999},
        ),
        _parameter("q", "Only what has this in its name.", {"type": "string"}),
        _parameter(
            "sort",
            "The order; by the size of the difference if left out.",
            {"type": "string", "enum": list(COMPARISON_SORTS)},
        ),
    ],
    responses={
        200: _answer(
            "Comparison",
            "What is above the threshold on one side at least. Without windows the newest that both locales have; of"
            " one locale the newest against the one before. Who reads it is noted.",
        ),
        **_problems(BAD_REQUEST="bad-parameter"),
        **_STORED,
        **_CLOSED,
        **_NEGOTIATED,
    },
)

trend: Decorator = extend_schema(
    operation_id="read_trend",
    tags=["results"],
    parameters=[
        OpenApiParameter("slug", _SLUG, OpenApiParameter.PATH, description="The use case."),
        _parameter("locale", "The first of the version if left out.", {"type": "string"}),
        _parameter(
            "element",
            "An element; given several times, several of them. If left out, the largest of the newest window and, of"
            " all others, the one that changed most.",
            {"type": "array", "items": {"type": "string"}, "maxItems": MOST_ELEMENTS},
        ),
        _parameter("from", "The first day.", _DATE),
        _parameter("to", "The last day; the newest that is shown if left out.", _DATE),
        _parameter("days", "How many days, if the first is left out.", {"type": "integer", "minimum": 1}),
        _parameter("step", "Windows of so many days.", {"type": "integer", "enum": list(STEPS)}),
        _parameter("version", "The newest that has results if left out.", {"type": "integer", "minimum": 1}),
    ],
    responses={
        200: _answer("Trend", "A point for each window and element. Who reads it is noted."),
        **_problems(BAD_REQUEST="bad-parameter"),
        **_STORED,
        **_CLOSED,
        **_NEGOTIATED,
    },
)

device_reports: Decorator = extend_schema(
    operation_id="send_device_reports",
    tags=["devices"],
    request={"application/json": _ref("UploadDocument")},
    parameters=[
        _header(
            "Idempotency-Key",
            "A new random text for each document, and the same for each attempt to send it. Another document under a"
            " key that is known is answered with 202 as well, and dropped: of a document nothing is kept to compare it"
            " with, only a keyed digest of its key.",
            _KEY | {"minLength": 16},
            required=True,
        ),
        _given("Retry-After", "Seconds to wait.", {"type": "integer", "minimum": 1}, 429, 503),
    ],
    responses={
        202: _answer("DeviceAnswer", "The records are stored, or the key was known and nothing is added."),
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
        _given(
            "ETag",
            "The SHA-256 of the body.",
            {"type": "string", "pattern": '^"[0-9a-f]{64}"$'},
            200,
            304,
        ),
    ],
    responses={
        200: _answer("DeviceConfiguration", "The same bytes for everybody."),
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


def complete(result: JsonSchema, **_more: object) -> JsonSchema:
    """Add what the framework does not find out by itself; it calls this at the end."""
    result["components"].setdefault("schemas", {}).update(COMPONENTS)
    for path in result["paths"].values():
        for operation in path.values():
            if "requestBody" in operation:
                operation["requestBody"]["required"] = True
    return result
