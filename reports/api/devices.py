"""What single devices send: one document, without a credential, without a cookie, and without a trace of who it was."""

from collections.abc import Iterable
from contextlib import suppress
from http import HTTPStatus

from django.conf import settings
from django.http import HttpResponseBase, JsonResponse
from django.utils.translation import gettext as _
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from reports.api import descriptions
from reports.api.problems import problem, refused_upload
from reports.ingest import Refusal, UploadRefused, devices


class DocumentsPerSecond(BaseThrottle):
    """Of all devices together: whose they are is not looked at."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        self._seconds = devices.waiting_time()
        return not self._seconds

    def wait(self) -> float:
        return self._seconds


class OnlyJson(BaseContentNegotiation):
    """The answer is JSON whatever a device would rather have: none is turned away for that."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return next(iter(renderers)), "application/json"


class Reports(APIView):
    """Store the records of a device: 202 when they are committed, or a problem and nothing stored."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = (DocumentsPerSecond,)
    content_negotiation_class = OnlyJson

    @descriptions.device_reports
    def post(self, request: Request) -> HttpResponseBase:
        refused = _refused_header(request)
        if refused is not None:
            return refused
        key = devices.Key(request.META.get("HTTP_IDEMPOTENCY_KEY", "").strip(" \t"))
        if not key.well_formed:
            return problem(
                HTTPStatus.BAD_REQUEST,
                "bad-idempotency-key",
                _(
                    "Send an Idempotency-Key of 16 to 255 visible ASCII characters, without spaces: "
                    "a new random one for each document, and the same when you send that document again."
                ),
            )
        try:
            answer = devices.take_in(_body(request), key)
        except UploadRefused as refusal:
            return refused_upload(refusal)
        # Not by way of a renderer, which would take longer than storing the records.
        return JsonResponse({"accepted": answer.accepted, "rejected": answer.rejected}, status=HTTPStatus.ACCEPTED)


def _refused_header(request: Request) -> Response | None:
    """The problem with what the header says of the body, if there is one."""
    if request.META.get("CONTENT_TYPE", "").partition(";")[0].strip().lower() != "application/json":
        return problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", _("Send one document as application/json.")
        )
    if request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() != "identity":
        return problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported-encoding", _("Send the document plain, without encoding.")
        )
    length = request.META.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit()):
        return problem(HTTPStatus.LENGTH_REQUIRED, "length-required", _("Send a Content-Length."))
    # Of a number of endless digits nothing is converted.
    if len(length) > 19 or int(length) > settings.LDPSITE_MAX_DEVICE_BYTES:
        detail = _("The document is larger than this server takes from one device.")
        return refused_upload(UploadRefused(Refusal.TOO_LARGE, detail))
    return None


def _body(request: Request) -> bytes:
    """What was sent, to its end. Raises `UploadRefused` if it was cut short."""
    length, body = int(request.META["CONTENT_LENGTH"]), b""
    with suppress(OSError):  # the connection broke
        body = request._request.read(length)
    if len(body) < length:
        raise UploadRefused(Refusal.BROKEN, _("The document was cut short. Send it again, with the same key."))
    return body
