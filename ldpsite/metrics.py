"""Metrics of web processes: how long each view takes, and how often one fails. Never an address, a person or a size.

Whatever reads them keeps them with the time. Views that leave no line in the log, of uploads and devices above all, are
therefore counted by the lot: what was measured last is one of many, and no request is seen to arrive. As in the log, an
unexpected error is the exception.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from http import HTTPStatus
from typing import Final, TypeAlias

from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram

from ldpsite.logs import RoutesOnly

LOT: Final = 100
_SECONDS: Final = Histogram(
    "ldpsite_request_seconds",
    f"Time to answer, by the name of the view; of views that reports come by, in lots of {LOT}.",
    ["view"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
_FAILED: Final = Counter(
    "ldpsite_failed_responses", "Responses that say that the site is at fault (5xx).", ["view", "status"]
)

# Seconds, and the status of the response.
Measured: TypeAlias = tuple[float, int]

_held: defaultdict[str, list[Measured]] = defaultdict(list)
_lock = threading.Lock()


def measure(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Measure requests that have a route. A middleware, before all others."""

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(request)
        if request.resolver_match is not None:
            view = request.resolver_match.view_name
            for seconds, status in _that_may_be_told(view, (time.perf_counter() - began, response.status_code)):
                _SECONDS.labels(view).observe(seconds)
                if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    _FAILED.labels(view, status).inc()
        return response

    return middleware


def _that_may_be_told(view: str, measured: Measured) -> list[Measured]:
    """Return what to count now: this request, or with it all that were held back, or none."""
    if view not in RoutesOnly.SILENT or measured[1] == HTTPStatus.INTERNAL_SERVER_ERROR:
        return [measured]
    with _lock:
        _held[view].append(measured)
        return _held.pop(view) if len(_held[view]) >= LOT else []
