"""The device configuration, for everybody who asks."""

from collections.abc import Iterable

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.decorators import (
    api_view,
    authentication_classes,
    content_negotiation_class,
    permission_classes,
)
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from reports.api import descriptions
from reports.configuration import published


class OneForm(BaseContentNegotiation):
    """There is one form, whatever a device says it would like better."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        return next(iter(parsers))

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


@descriptions.device_configuration
@api_view(["GET", "HEAD"])
@authentication_classes([])
@permission_classes([])
@content_negotiation_class(OneForm)
def device_configuration(request: Request) -> HttpResponseBase:
    """What devices are asked: the same bytes for everybody; the entity tag is their SHA-256.

    `ldpsite.middleware.answers_to_devices` keeps out what other layers would add for one person or language.
    """
    document = published()
    response = HttpResponse(document.body, content_type="application/json")
    response.headers["ETag"] = f'"{document.sha256}"'
    response.headers["Cache-Control"] = "public, max-age=300"
    return get_conditional_response(request._request, etag=response.headers["ETag"], response=response) or response
