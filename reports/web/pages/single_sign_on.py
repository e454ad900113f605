"""The way to the provider of single sign-on and back, and what a page says of a login that failed."""

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reports.accounts.single_sign_on.signed_on import NotLetIn, account_of
from reports.web.pages.preferences_page import forget_browser_language, opening_address

if TYPE_CHECKING:
    from types import ModuleType

logger = logging.getLogger(__name__)

BACKEND: Final = "reports.accounts.single_sign_on.signed_on.SignedOnBackend"
_COOKIE: Final = "single_sign_on"
_PATIENCE: Final = 900
"""Seconds that a person may take at the provider."""
_LOGINS: Final = 3
"""Logins that a browser may have under way at once, in several tabs."""
# With these, the cookie is one that browsers keep: 4096 bytes at most.
_LONGEST_NEXT: Final = 1000


def _oidc() -> "ModuleType":
    """Return the module that knows the protocol: sites without a provider never load it."""
    if not settings.LDPSITE_OIDC_DISCOVERY_URL:
        raise Http404
    from reports.accounts.single_sign_on import oidc

    return oidc


@login_not_required
@never_cache
@require_safe
def begin(request: HttpRequest) -> HttpResponseBase:
    oidc = _oidc()
    wanted = request.GET.get("next", "")
    if request.user.is_authenticated:
        return redirect("login")
    here = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    under_way, _before = _kept(request)
    try:
        answer: HttpResponseBase = oidc.begin(under_way, request.build_absolute_uri(reverse("oidc_callback")))
    except oidc.LoginFailed as failure:
        return failed(request, failure.reason, failure.detail)
    _keep(answer, under_way, wanted if here and len(wanted) <= _LONGEST_NEXT else "")
    return answer


@login_not_required
@never_cache
@require_safe
def callback(request: HttpRequest) -> HttpResponse:
    oidc = _oidc()
    under_way, wanted = _kept(request)
    begun = len(under_way)
    response = _answered(request, oidc, under_way, wanted)
    if len(under_way) < begun:  # used once, whatever came of it
        response.delete_cookie(_COOKIE, path=reverse("oidc_begin"), samesite="Lax")
    return response


def _answered(request: HttpRequest, oidc: "ModuleType", under_way: dict[str, Any], wanted: str) -> HttpResponse:
    try:
        person = account_of(oidc.finish(request.GET, under_way))
    except oidc.LoginFailed as failure:
        if failure.reason == "state" and request.user.is_authenticated:
            # Their other tab was faster, or the page was loaded anew.
            return redirect("login")
        return failed(request, failure.reason, failure.detail)
    except NotLetIn as refusal:
        return failed(request, refusal.reason)
    login(request, person, BACKEND)
    response = HttpResponseRedirect(wanted or opening_address(person))
    forget_browser_language(response, person)
    return response


def _kept(request: HttpRequest) -> tuple[dict[str, Any], str]:
    """Return what this browser keeps of its logins under way, and the page that it wants after one."""
    try:
        under_way, wanted = signing.loads(request.COOKIES.get(_COOKIE, ""), salt=_COOKIE, max_age=_PATIENCE)
    except signing.BadSignature:
        return {}, ""
    return under_way, wanted


def _keep(response: HttpResponseBase, under_way: dict[str, Any], wanted: str) -> None:
    """Have the browser itself keep the latest logins: without one, a stranger makes this site store nothing."""
    latest = dict(list(under_way.items())[-_LOGINS:])
    for login_begun in latest.values():
        login_begun["data"].pop("url", None)  # long, and never asked for
    response.set_cookie(
        _COOKIE,
        signing.dumps((latest, wanted), salt=_COOKIE, compress=True),
        max_age=_PATIENCE,
        path=reverse("oidc_begin"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


@login_not_required
@require_safe
def signed_out(request: HttpRequest) -> HttpResponse:
    """Say that the session here is over, and offer to end the provider's."""
    address = _oidc().logout_address(request.build_absolute_uri(reverse("login")))
    return render(request, "registration/signed_out.html", {"address": address, "name": settings.LDPSITE_OIDC_NAME})


def failed(request: HttpRequest, reason: str, detail: str = "") -> HttpResponse:
    """Say why a login failed and what to do. Nothing of the provider's answer is shown, or logged but its kind."""
    logger.warning("A login by single sign-on failed: %s", " ".join(filter(None, (reason, detail))))
    status, heading = _FAILURES[reason]
    context = {"heading": heading, "reason": reason, "may_retry": reason in _RETRIED}
    return render(request, "registration/sign_on_failed.html", context, status=status)


# Another try may end otherwise.
_RETRIED: Final = frozenset({"down", "state", "denied", "clock", "token", "group"})
# The template says more of each.
_FAILURES: Final = {
    "down": (HTTPStatus.SERVICE_UNAVAILABLE, gettext_lazy("The login service does not answer")),
    "state": (HTTPStatus.BAD_REQUEST, gettext_lazy("This login was not begun here")),
    "denied": (HTTPStatus.FORBIDDEN, gettext_lazy("The login was cancelled")),
    "refused": (HTTPStatus.BAD_GATEWAY, gettext_lazy("The login service refuses this site")),
    "clock": (HTTPStatus.BAD_GATEWAY, gettext_lazy("A clock is wrong")),
    "token": (HTTPStatus.BAD_GATEWAY, gettext_lazy("The answer of the login service is not valid")),
    "group": (HTTPStatus.FORBIDDEN, gettext_lazy("You are in no group that may use this site")),
    "closed": (HTTPStatus.FORBIDDEN, gettext_lazy("Your account here is closed")),
}
