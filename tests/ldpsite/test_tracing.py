"""Traces: which view and which error, and nothing that a sender said."""

from collections.abc import Iterator
from typing import Any

import pytest
from celery import shared_task
from celery.signals import task_failure, task_postrun, task_prerun
from django.test import Client
from django.urls import reverse
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pytest_django import Settings

from ldpsite import tracing
from tests.reports.small_fleet import define

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

MARKER = "planted-marker"


@pytest.fixture
def collected(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    settings.MIDDLEWARE = ["ldpsite.tracing.Tracing", *settings.MIDDLEWARE]
    collector = InMemorySpanExporter()
    resource = tracing.provider().resource
    made = TracerProvider(resource=resource)
    made.add_span_processor(SimpleSpanProcessor(collector))
    monkeypatch.setattr(tracing, "provider", lambda: made)
    yield collector
    made.shutdown()


def fail(*_arguments: Any, **_named: Any) -> None:
    raise KeyError(MARKER)


def test_nothing_that_a_sender_said_is_in_a_trace(
    as_alice: Client, collected: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    define()
    as_alice.raise_request_exception = False
    as_alice.cookies["kept"] = MARKER
    headers = {"user-agent": MARKER, "x-forwarded-for": MARKER, "traceparent": f"00-{'1' * 32}-{'2' * 16}-01"}
    query = {"q": MARKER}
    as_alice.get(reverse("use_case", args=["fruits"]), headers=headers, query_params=query)
    as_alice.get(reverse("use_case", args=[MARKER]), headers=headers, query_params=query)
    as_alice.get(f"/{MARKER}/", headers=headers, query_params=query)
    as_alice.post(reverse("api_reports"), f'{{"{MARKER}": 1}}', "application/json", headers=headers)
    monkeypatch.setattr("reports.web.api.device_reports.whole_body", fail)
    key = {"idempotency-key": MARKER * 2}
    as_alice.post(reverse("api_reports"), f'{{"{MARKER}": 1}}', "application/json", headers=headers | key)
    monkeypatch.setattr("reports.web.pages.report_format._TEXT", None)
    as_alice.get(reverse("report_format_text"), headers=headers, query_params=query)
    spans = collected.get_finished_spans()
    # Neither an address without a route nor a document of a device is seen, but for what is an error of the site.
    seen = [(span.name, (span.attributes or {})["http.status_code"]) for span in spans]
    assert seen == [("use_case", 200), ("use_case", 404), ("api_reports", 500), ("report_format_text", 500)]
    text = "".join(span.to_json() for span in spans)
    for secret in (MARKER, "fruits", "127.0.0.1", "testserver", "alice", "1" * 32, "sessionid"):
        assert secret not in text
    (event,) = spans[2].events
    assert (event.attributes or {})["exception.type"] == "KeyError"
    assert "device_reports.py" in str((event.attributes or {})["exception.stacktrace"])
    assert dict(spans[0].resource.attributes) == {"service.name": "ldpsite"}


@shared_task(name="tests.tracing.failing")
def failing(given: str) -> None:
    raise ValueError(given)


def test_a_task_is_traced_by_its_name(collected: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch) -> None:
    for signal in (task_prerun, task_failure, task_postrun):
        monkeypatch.setattr(signal, "receivers", list(signal.receivers or ()))
    tracing.trace_tasks()
    failing.apply((MARKER,))
    (span,) = collected.get_finished_spans()
    assert span.name == "tests.tracing.failing"
    assert MARKER not in span.to_json()
    assert "ValueError" in span.to_json()
