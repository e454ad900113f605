"""Traces and errors by OpenTelemetry, where LDPSITE_OTLP_ENDPOINT says who collects them. Scrubbed: see `Tracing`.

Needs the packages of requirements-telemetry.txt.
"""

import traceback
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from typing import Any

from celery.signals import task_failure, task_postrun, task_prerun
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, Status, StatusCode, Tracer

from ldpsite.logs import RoutesOnly


@cache
def provider() -> TracerProvider:
    """Make it once in each process, when it has something to say; a resource that names the site and nothing else."""
    made = TracerProvider(resource=Resource({"service.name": "ldpsite"}))
    endpoint = f"{settings.LDPSITE_OTLP_ENDPOINT.rstrip('/')}/v1/traces"
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return made


def tracer() -> Tracer:
    return provider().get_tracer("ldpsite")


class Tracing:
    """Trace each request that has a route. A middleware, before all others.

    A span has the name of the view, the method and the status; after an unexpected error its class, and which lines of
    code it went through. No address, query, header, body or message of an error is in it: these are the sender's. Views
    that leave no line in the log, such as uploads, leave no trace either, unless such an error happens.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # It belongs to no other, whatever the request says that it came from.
        span = tracer().start_span("request")
        request.span = span  # type: ignore[attr-defined]
        response = self._get_response(request)
        match = request.resolver_match
        failed = response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR
        if match is not None and (failed or match.view_name not in RoutesOnly.SILENT):
            span.update_name(match.view_name)
            span.set_attributes({"http.method": request.method or "", "http.status_code": response.status_code})
            span.end()
        # A span that is not ended is not sent.
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> None:
        record_error(request.span, error)  # type: ignore[attr-defined]


def record_error(span: Span, error: BaseException) -> None:
    """Record the class of an error and where it came from, without what it says."""
    frames = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    facts = {"exception.type": type(error).__qualname__, "exception.stacktrace": "\n".join(frames)}
    span.add_event("exception", facts)
    span.set_status(Status(StatusCode.ERROR))


def trace_tasks() -> None:
    """Trace the tasks of a worker, by their names; what they are called with is not in it."""
    spans: dict[str, Span] = {}

    @task_prerun.connect(weak=False)
    def begin(task_id: str, task: Any, **_signal: Any) -> None:
        spans[task_id] = tracer().start_span(task.name)

    @task_failure.connect(weak=False)
    def fail(task_id: str, exception: BaseException, **_signal: Any) -> None:
        if task_id in spans:
            record_error(spans[task_id], exception)

    @task_postrun.connect(weak=False)
    def end(task_id: str, **_signal: Any) -> None:
        if task_id in spans:
            spans.pop(task_id).end()
