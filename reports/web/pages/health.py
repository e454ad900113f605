"""Checks of a process: it lives, and it can serve."""

from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse

from reports.operations.monitoring import NEEDED, answers


@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


@login_not_required
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 503 while the database or the storage does not answer, and name all that do not; no reason: it is public.

    Pages and uploads do without a broker, workers and the trusted processes of training, which are named alike.
    """
    found = answers()
    status = HTTPStatus.OK if all(found[name] for name in NEEDED) else HTTPStatus.SERVICE_UNAVAILABLE
    return JsonResponse({name: "ok" if each else "does not answer" for name, each in found.items()}, status=status)
