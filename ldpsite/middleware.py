"""Headers that every response carries, the language it speaks, and whose large bodies are read."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin

from ldpsite.body_sizes import SMALL_BODY_BYTES

# Everything comes from the site itself. Plotly sets style attributes and turns a chart into a picture by way of
# data: and blob: addresses.
POLICY = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' data: blob:",
        "style-src 'self' 'unsafe-inline'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'self'",
        "object-src 'none'",
    ]
)

# None of it is used; saying so keeps an injected script from asking.
PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"

# Addresses that devices ask, at which none is to be told apart.
TO_DEVICES = frozenset(
    {"api_device_configuration", "api_reports", "api_open_rounds", "api_training_rows", "api_contributions"}
)

# Pages that show keys whenever they are asked for.
WITH_KEYS = frozenset({"subscriptions"})

# They look at the length, and at who asks, before they read.
ASK_THEMSELVES = frozenset({"api_upload", "api_reports", "api_training_rows", "api_contributions"})
# Forms with files: the upload of a batch, and dictionaries. No other form is long.
WITH_FILES = frozenset({"upload", "set_up_answers", "admin:reports_version_dictionary"})

Handler = Callable[[HttpRequest], HttpResponse]


def default_headers(get_response: Handler) -> Handler:
    """Add what every response says unless its view says otherwise (a page meant for embedding names who may).

    No cache that people share may keep what is shown to one of them; static files say for themselves who may.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Cache-Control", "private")
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response

    return middleware


def answers_to_devices(get_response: Handler) -> Handler:
    """Keep out of them what other layers add for one person, or language: cookies, and headers that tell of either."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.resolver_match is not None and request.resolver_match.url_name in TO_DEVICES:
            response.cookies.clear()
            del response.headers["Vary"], response.headers["Content-Language"]
        return response

    return middleware


class PageCompressionMiddleware(GZipMiddleware):
    """Compress pages that are asked for by GET and show no keys; nothing else.

    The size of a compressed page tells a little of what it repeats (BREACH). Django adds a random number of bytes and
    masks CSRF tokens anew in each page. New keys are shown in answers to forms.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_page = request.method == "GET" and response.headers.get("Content-Type", "").startswith("text/html")
        shows_keys = request.resolver_match is not None and request.resolver_match.url_name in WITH_KEYS
        return super().process_response(request, response) if is_page and not shows_keys else response


class LargeBodies(MiddlewareMixin):
    """Take them only where files are sent: from people who are logged in, or where tokens are asked for first.

    The web server waits for smaller ones without a thread. Any form reads a body of any length in its check for
    forgery, into temporary files.
    """

    def process_view(
        self, request: HttpRequest, view: Handler, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal() or (len(length) < 19 and int(length) <= SMALL_BODY_BYTES):
            return None
        name = "" if request.resolver_match is None else request.resolver_match.view_name
        if name in ASK_THEMSELVES or (name in WITH_FILES and request.user.is_authenticated):
            return None
        return HttpResponse(status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)


class LanguageMiddleware(LocaleMiddleware):
    """Choose the language that a person chose at the foot of a page, or else that of the browser. Devices have none."""

    def process_view(self, request: HttpRequest, view: Handler, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if request.resolver_match is not None and request.resolver_match.url_name in TO_DEVICES:
            translation.activate(settings.LANGUAGE_CODE)
