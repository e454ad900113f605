"""The device configuration, for everybody who asks."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.decorators import (
    api_view,
    authentication_classes,
    content_negotiation_class,
    permission_classes,
)
from rest_framework.request import Request

from reports.collection.devices import published
from reports.web.api import descriptions
from reports.web.api.device_reports import OneForm


@descriptions.device_configuration
@api_view(["GET", "HEAD"])
@authentication_classes([])
@permission_classes([])
@content_negotiation_class(OneForm)
def device_configuration(request: Request) -> HttpResponseBase:
    """The questions to devices: the same bytes for everybody; the entity tag is their SHA-256."""
    # And `ldpsite.middleware.answers_to_devices` keeps out what other layers would add for one person or language.
    document = published()
    response = HttpResponse(document.body, content_type="application/json")
    response.headers["ETag"] = f'"{document.sha256}"'
    response.headers["Cache-Control"] = "public, max-age=300"
    answer = get_conditional_response(request._request, etag=response.headers["ETag"], response=response) or response
    if request.method == "HEAD" and answer is response:
        # Servers complain of a body where none belongs; the length is that of the body all the same.
        response.headers["Content-Length"] = str(len(document.body))
        response.content = b""
    return answer
