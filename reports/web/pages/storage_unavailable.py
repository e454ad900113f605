"""Pages while the storage does not answer."""

import logging
from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from reports.storage import RETRY_SECONDS, StorageUnavailable

logger = logging.getLogger(__name__)


class StorageUnavailableMiddleware:
    """Answer 503 where a page needs stored files. What is published needs none, but windows asked for anew do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, StorageUnavailable):
            return None
        logger.warning("A page could not be shown: the storage does not answer (%s)", error)
        answer = render(request, "503.html", status=HTTPStatus.SERVICE_UNAVAILABLE)
        answer.headers["Retry-After"] = str(RETRY_SECONDS)
        return answer
