"""Metrics for a Prometheus server, behind a token. Without one, the page does not exist."""

import hmac

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@login_not_required
@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    expected = f"Bearer {settings.LDPSITE_METRICS_TOKEN}".encode()
    sent = request.headers.get("Authorization", "").encode()
    if not settings.LDPSITE_METRICS_TOKEN or not hmac.compare_digest(sent, expected):
        raise Http404
    # The library, which nothing else needs, takes a while to import.
    from reports.operations.metrics import expose

    return HttpResponse(expose(), content_type=CONTENT_TYPE)
