"""Reports of single devices: one document, without a credential, a cookie or a trace of who it was."""

from collections.abc import Iterable
from http import HTTPStatus

from django.http import HttpResponseBase, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from reports.collection import devices
from reports.web.api import descriptions
from reports.web.api.bodies import Expected, announced_body, whole_body
from reports.web.api.problem_details import Problem


class OneForm(BaseContentNegotiation):
    """There is one form, whatever a device says it would like better: none is turned away for that."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        return next(iter(parsers))

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class DocumentsPerSecond(BaseThrottle):
    """Limit of all devices together: whose documents they are is not looked at."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        self._seconds = devices.waiting_time()
        return not self._seconds

    def wait(self) -> float:
        return self._seconds


_EXPECTED = Expected(
    content_types=("application/json",),
    encodings=("identity",),
    limit="LDPSITE_MAX_DEVICE_BYTES",
    wrong_type=gettext_lazy("Send one document as application/json."),
    wrong_encoding=gettext_lazy("Send the document plain, without encoding."),
    too_large=gettext_lazy("The document is larger than this server takes from one device."),
)


class FromDevice(APIView):
    """Answer devices, of which nothing is known."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = (DocumentsPerSecond,)
    content_negotiation_class = OneForm


class Reports(FromDevice):
    """Store the records of a device: 202 when they are committed, or a problem and nothing stored."""

    @descriptions.device_reports
    def post(self, request: Request) -> HttpResponseBase:
        announced = announced_body(request, _EXPECTED)
        key = devices.Key(request.META.get("HTTP_IDEMPOTENCY_KEY", "").strip(" \t"))
        if not key.well_formed:
            raise Problem(
                HTTPStatus.BAD_REQUEST,
                "bad-idempotency-key",
                _(
                    "Send an Idempotency-Key of 16 to 255 visible ASCII characters, without spaces: "
                    "a new random one for each document, and the same when you send that document again."
                ),
            )
        answer = devices.take_in(whole_body(request, announced.length), key)
        # Not by way of a renderer, which would take longer than storing the records.
        return JsonResponse({"accepted": answer.accepted, "rejected": answer.rejected}, status=HTTPStatus.ACCEPTED)
