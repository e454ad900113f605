"""Real devices' rounds of training: what is open, and sealed messages, carried without a trace of who sent them."""

from contextlib import ExitStack
from http import HTTPStatus
from typing import Final

from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.decorators import (
    api_view,
    authentication_classes,
    content_negotiation_class,
    permission_classes,
)
from rest_framework.request import Request

from aggregation.training.roles import Refusal, Refused
from reports.collection.ingest import UploadRefused
from reports.training import relaying
from reports.web.api import descriptions
from reports.web.api.bodies import Expected, announced_body, whole_body
from reports.web.api.device_reports import FromDevice, OneForm
from reports.web.api.problem_details import Problem

_EXPECTED: Final = Expected(
    content_types=("application/octet-stream",),
    encodings=("identity",),
    limit="LDPSITE_SMALL_BODY_BYTES",
    wrong_type=gettext_lazy("Send one sealed message as application/octet-stream."),
    wrong_encoding=gettext_lazy("Send the message plain, without encoding."),
    too_large=gettext_lazy("The message is longer than any of a device."),
)
_RETRY_SECONDS: Final = 20
# Until then one of those under way may be sent.
_RETRY_MODEL_SECONDS: Final = 5
REFUSALS: Final = {
    Refusal.LENGTH: "wrong-length",
    Refusal.TASK: "other-task",
    Refusal.ROUND: "other-round",
    Refusal.KEY: "other-key",
    Refusal.LATE: "round-is-over",
    Refusal.FULL: "round-is-full",
    Refusal.UNOPENABLE: "cannot-be-opened",
    Refusal.ITEMS: "unknown-items",
}
"""Names of problems with a message; what else is wrong with a contribution, the aggregator tells of none."""


@descriptions.open_rounds
@api_view(["GET"])
@authentication_classes([])
@permission_classes([])
@content_negotiation_class(OneForm)
def open_rounds(request: Request, slug: str) -> HttpResponseBase:
    """Open rounds of a task: the same for everybody."""
    try:
        response = JsonResponse(relaying.open_rounds(slug))
    except relaying.NoSuchTask:
        raise Http404 from None
    response.headers["Cache-Control"] = "public, max-age=5"
    return response


class _Messages(FromDevice):
    """Take one sealed message of a device."""

    def relay(self, slug: str, message: bytes) -> HttpResponseBase:
        raise NotImplementedError

    def take(self, request: Request, slug: str) -> HttpResponseBase:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        try:
            try:
                length = announced_body(request, _EXPECTED).length
            except UploadRefused:
                status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
                relaying.refuse_length(slug)
                raise
            return self.relay(slug, whole_body(request, length))
        except relaying.NoSuchTask:
            raise Http404 from None
        except relaying.NoRound:
            raise Problem(HTTPStatus.CONFLICT, "no-open-round", _("No round of this task is open now.")) from None
        except relaying.Unanswered:
            words = _("The trusted processes do not answer now. Send the same again later.")
            kind = "trusted-processes-unavailable"
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, kind, words, _RETRY_SECONDS) from None
        except relaying.ModelsBeingSent:
            words = _("The model is being sent to others. Send the same again in a moment.")
            kind = "models-being-sent"
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, kind, words, _RETRY_MODEL_SECONDS) from None
        except Refused as refused:
            words = _("The message is not carried: %(reason)s.") % {"reason": refused.refusal.value}
            raise Problem(status, REFUSALS[refused.refusal], words) from None


class _Answer(HttpResponse):
    """A sealed answer that holds its slot until it is sent, or its reader has left."""

    def __init__(self, content: bytes, until_sent: ExitStack) -> None:
        super().__init__(content, content_type="application/octet-stream")
        self._until_sent = until_sent

    def close(self) -> None:
        self._until_sent.close()
        super().close()


class Rows(_Messages):
    """Carry a request for rows to the trusted distributor, which alone, or a program in its place, can open it."""

    @descriptions.training_rows
    def post(self, request: Request, slug: str) -> HttpResponseBase:
        return self.take(request, slug)

    def relay(self, slug: str, message: bytes) -> HttpResponseBase:
        with ExitStack() as until_sent:
            answer = relaying.relay_request(slug, message, until_sent)
            return _Answer(answer, until_sent.pop_all())


class Contributions(_Messages):
    """Carry a contribution to the trusted aggregator, which alone, or a program in its place, can open it."""

    @descriptions.contributions
    def post(self, request: Request, slug: str) -> HttpResponseBase:
        return self.take(request, slug)

    def relay(self, slug: str, message: bytes) -> HttpResponseBase:
        relaying.relay_contribution(slug, message)
        return JsonResponse({"accepted": 1}, status=HTTPStatus.ACCEPTED)
