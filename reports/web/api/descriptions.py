"""Descriptions of each view of the API for its OpenAPI document. Each is put on a view as a decorator."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from reports.collection.ingest import ENCODINGS, Refusal
from reports.web.api import query_parameters, result_serializers, serializers, training_serializers
from reports.web.api.problem_details import PROBLEM_TYPE, status_of

Decorator = Callable[[Any], Any]
Problems = Mapping[HTTPStatus, str]

_AWAY = {HTTPStatus.SERVICE_UNAVAILABLE: "database-unavailable: ask again later"}
_UNKNOWN = {
    HTTPStatus.UNAUTHORIZED: "not-authenticated; authentication-failed: the token is not known, or is revoked, or has"
    " expired"
}
_READ = {
    **_AWAY,
    **_UNKNOWN,
    HTTPStatus.NOT_FOUND: "not-found: there is nothing, or not for you",
    HTTPStatus.NOT_ACCEPTABLE: "not-acceptable: answers are JSON",
}
_BODY = {
    HTTPStatus.BAD_REQUEST: "bad-idempotency-key",
    HTTPStatus.LENGTH_REQUIRED: "length-required: no Content-Length",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "unsupported-media-type; unsupported-encoding",
}


def _described(
    name: str,
    tag: str,
    answers: Mapping[Any, OpenApiResponse],
    problems: Problems,
    *parameters: Any,
    refusals: tuple[Refusal, ...] = (),
    request: Any = None,
) -> Decorator:
    """Describe an operation: its answers, and for each other status the names of the problems that have it."""
    words = dict(problems)
    for refusal in refusals:
        status = status_of(refusal)
        words[status] = f"{refusal}; {words[status]}" if status in words else str(refusal)
    refused = {
        (status.value, PROBLEM_TYPE): OpenApiResponse(serializers.ProblemSerializer, said)
        for status, said in words.items()
    }
    decorate: Decorator = extend_schema(
        operation_id=name,
        tags=[tag],
        parameters=list(parameters),
        responses={**answers, **refused},
        **({} if request is None else {"request": request}),
    )
    return decorate


def _header(name: str, words: str, schema: Mapping[str, Any], *statuses: int, required: bool = False) -> Any:
    """Describe a header of requests, or of answers with these statuses."""
    of = list(statuses) or False
    return OpenApiParameter(name, dict(schema), OpenApiParameter.HEADER, required, words, response=of)


def _read(name: str, tag: str, answer: Any, words: str, *parameters: Any, problems: Problems = _READ) -> Decorator:
    """Describe a read, for all who sign in."""
    return _described(
        name,
        tag,
        {200: OpenApiResponse(answer, words), 304: OpenApiResponse(None, "It has not changed.")},
        {**problems, HTTPStatus.BAD_REQUEST: "bad-parameter: a parameter that is not known, or says what cannot be"},
        *parameters,
        _header("If-None-Match", "The entity tag of what one has already.", {"type": "string"}),
        _header("ETag", "Another for another answer.", {"type": "string", "pattern": '^"[0-9a-f]{32}"$'}, 200, 304),
    )


def _results(name: str, answer: Any, words: str, *parameters: Any) -> Decorator:
    away = "storage-unavailable: stored files cannot be read now; database-unavailable: ask again later"
    problems = {**_READ, HTTPStatus.SERVICE_UNAVAILABLE: away}
    said = f"{words} Who reads it is noted."
    return _read(f"read_{name}", "results", answer, said, *parameters, problems=problems)


def _list(name: str, entry: Any, words: str, *parameters: Any, tag: str = "lists") -> Decorator:
    answer = serializers.list_of(name.title().replace("_", ""), entry)
    return _read(f"list_{name}", tag, answer, words, *parameters)


def _slug(of: str) -> OpenApiParameter:
    schema = {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"}
    return OpenApiParameter("slug", schema, OpenApiParameter.PATH, description=of)


_SLUG = _slug("The use case.")
_TASK = _slug("The training task.")
_KEY = {"type": "string", "pattern": "^[!-~]+$", "maxLength": 255}
_WAIT = ("Retry-After", "Seconds to wait.", {"type": "integer", "minimum": 1})

upload = _described(
    "upload_batch",
    "collecting",
    {202: OpenApiResponse(serializers.ReceiptSerializer, "Stored, or stored before.")},
    {
        **_READ,
        **_BODY,
        HTTPStatus.BAD_REQUEST: "bad-idempotency-key; bad-parameter",
        HTTPStatus.FORBIDDEN: "permission-denied: a session without its token against forgery",
        HTTPStatus.SERVICE_UNAVAILABLE: "database-unavailable: send it again later",
    },
    query_parameters.UPLOAD,
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
    _header(*_WAIT, 503),
    refusals=tuple(refusal for refusal in Refusal if refusal is not Refusal.OVER_LIMIT),
    request={
        "application/json": serializers.UploadDocumentSerializer,
        "application/x-ndjson": {"type": "string", "description": "One upload document a line."},
    },
)

batch = _read("read_batch", "collecting", serializers.BatchSerializer, "What has become of it.")

use_cases = _list("use_cases", serializers.UseCaseSerializer, "By their identifiers.", query_parameters.PAGE)
versions = _list("versions", serializers.VersionSerializer, "The newest first.", _SLUG, query_parameters.PAGE)
locales = _list(
    "locales",
    serializers.ShownLocaleSerializer,
    "In the order of the version. Its first is meant where none is named.",
    *(_SLUG, query_parameters.LOCALES),
)
windows = _list(
    "windows",
    serializers.WindowSerializer,
    "In the order of their days. Any of them, and any days that hold some of them, can be asked for.",
    *(_SLUG, query_parameters.WINDOWS),
)
product_lists = _list(
    "product_lists",
    serializers.ProductListSerializer,
    "Lists for products of a use case, by their names.",
    *(_SLUG, query_parameters.PAGE),
)
product_list = _read(
    "read_product_list",
    "lists",
    serializers.ProductListVersionSerializer,
    "The newest version that an owner approved. A public list needs no token; who reads another is noted.",
    _SLUG,
    OpenApiParameter("name", {"type": "string"}, OpenApiParameter.PATH, description="The list."),
    query_parameters.PRODUCT_LIST,
)

histogram = _results(
    "histogram",
    result_serializers.HistogramSerializer,
    "All release periods that lie in the window.",
    _SLUG,
    query_parameters.HISTOGRAM,
)
comparison = _results(
    "comparison",
    result_serializers.ComparisonSerializer,
    "What is above the threshold on one side at least. Without windows the newest that both locales have; of one"
    " locale the newest against the one before.",
    _SLUG,
    query_parameters.COMPARISON,
)
all_locales = _results(
    "all-locales",
    result_serializers.AllLocalesSerializer,
    "The elements in the top of some locale, in all of them: the largest first.",
    _SLUG,
    query_parameters.ALL_LOCALES,
)
site_changes = _results(
    "site-changes",
    result_serializers.SiteChangesSerializer,
    "Clear changes of the newest week in all use cases that one may view: a test over all of them together decides"
    " which are clear.",
)
changes = _results(
    "changes",
    result_serializers.ChangesSerializer,
    "What is above the threshold in one of the windows at least, in all locales: clear changes first, by size.",
    _SLUG,
    query_parameters.CHANGES,
)
trend = _results(
    "trend", result_serializers.TrendSerializer, "A point for each window and element.", _SLUG, query_parameters.TREND
)


def _training(name: str, answer: Any, words: str, *parameters: Any) -> Decorator:
    return _read(f"read_training_{name}", "training", answer, words, *parameters)


training_tasks = _list(
    "training_tasks",
    training_serializers.TrainingTaskSerializer,
    "By their identifiers.",
    query_parameters.PAGE,
    tag="training",
)
training_task = _training("task", training_serializers.TrainingTaskSerializer, "With what has been spent.", _TASK)
training_runs = _list(
    "training_runs",
    training_serializers.TrainingRunSerializer,
    "The newest first. Who reads them is noted.",
    *(_TASK, query_parameters.PAGE),
    tag="training",
)
training_run = _training("run", training_serializers.WholeRunSerializer, "Round by round. Who reads it is noted.")
training_card = _training("card", training_serializers.ModelCardSerializer, "Of a finished run's model.")
training_statement = _training("statement", training_serializers.StatementSerializer, "Of the active version.", _TASK)
training_ledger = _training("ledger", training_serializers.LedgerSerializer, "All runs together.", _TASK)

device_reports = _described(
    "send_device_reports",
    "devices",
    {
        202: OpenApiResponse(
            serializers.DeviceAnswerSerializer, "The records are stored, or the key was known and nothing is added."
        )
    },
    {
        **_BODY,
        HTTPStatus.TOO_MANY_REQUESTS: "throttled: too many documents of all devices together",
        HTTPStatus.SERVICE_UNAVAILABLE: "database-unavailable: send the same again later",
    },
    _header(
        "Idempotency-Key",
        "A new random text for each document, and the same for each attempt to send it. Another document under a"
        " key that is known is answered with 202 as well, and dropped: of a document nothing is kept to compare it"
        " with, only a keyed digest of its key.",
        _KEY | {"minLength": 16},
        required=True,
    ),
    _header(*_WAIT, 429, 503),
    refusals=(Refusal.EMPTY, Refusal.BROKEN, Refusal.TOO_LARGE, Refusal.NOTHING_USABLE, Refusal.OVER_LIMIT),
    request={"application/json": serializers.UploadDocumentSerializer},
)

device_configuration = _described(
    "read_device_configuration",
    "devices",
    {
        200: OpenApiResponse(serializers.DeviceConfigurationSerializer, "The same bytes for everybody."),
        304: OpenApiResponse(None, "It has not changed."),
    },
    _AWAY,
    _header("If-None-Match", "The entity tag of what one has already.", {"type": "string"}),
    _header("ETag", "The SHA-256 of the body.", {"type": "string", "pattern": '^"[0-9a-f]{64}"$'}, 200, 304),
)

_SEALED = {"application/octet-stream": {"type": "string", "format": "binary", "description": "One sealed message."}}
_NO_TASK = {
    HTTPStatus.UNAUTHORIZED: "not-authenticated: no identifier looks like that",
    HTTPStatus.NOT_FOUND: "not-found: devices do not train such a task",
}
_MESSAGE = {
    **_NO_TASK,
    HTTPStatus.BAD_REQUEST: str(Refusal.BROKEN),
    HTTPStatus.CONFLICT: "no-open-round",
    HTTPStatus.LENGTH_REQUIRED: "length-required: no Content-Length",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "wrong-length",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "unsupported-media-type; unsupported-encoding",
    HTTPStatus.UNPROCESSABLE_ENTITY: "wrong-length; other-task; other-round; other-key; round-is-over",
    HTTPStatus.TOO_MANY_REQUESTS: "throttled: too many messages of all devices together",
    HTTPStatus.SERVICE_UNAVAILABLE: "trusted-processes-unavailable; database-unavailable: send the same again later",
}

open_rounds = _described(
    "list_open_rounds",
    "devices",
    {200: OpenApiResponse(serializers.OpenRoundsSerializer, "None is listed while no round is open.")},
    {**_AWAY, **_NO_TASK},
    _TASK,
)
training_rows = _described(
    "ask_training_rows",
    "devices",
    {(200, "application/octet-stream"): OpenApiResponse({"type": "string", "format": "binary"}, "The sealed answer.")},
    _MESSAGE
    | {
        HTTPStatus.UNPROCESSABLE_ENTITY: (
            f"{_MESSAGE[HTTPStatus.UNPROCESSABLE_ENTITY]}; cannot-be-opened; unknown-items"
        ),
        HTTPStatus.SERVICE_UNAVAILABLE: f"models-being-sent; {_MESSAGE[HTTPStatus.SERVICE_UNAVAILABLE]}",
    },
    _TASK,
    _header(*_WAIT, 429, 503),
    request=_SEALED,
)
contributions = _described(
    "send_contribution",
    "devices",
    {202: OpenApiResponse(serializers.RelayedSerializer, "It was carried. Whether it counts is not told.")},
    _MESSAGE | {HTTPStatus.UNPROCESSABLE_ENTITY: f"{_MESSAGE[HTTPStatus.UNPROCESSABLE_ENTITY]}; round-is-full"},
    _TASK,
    _header(*_WAIT, 429, 503),
    request=_SEALED,
)

description = _read(
    "read_description",
    "description",
    {"type": "object"},
    "This document.",
    problems={status: words for status, words in _READ.items() if status != HTTPStatus.NOT_FOUND},
)


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
