"""Login and logout of the pages, and which of them ask for a login."""

from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils.decorators import method_decorator

from reports.accounts.single_sign_on.proxy import refusal
from reports.accounts.throttled_forms import slowed_down
from reports.demo.setup import LOGIN
from reports.web.pages.people import person
from reports.web.pages.preferences_page import forget_browser_language, opening_address
from reports.web.pages.single_sign_on import BACKEND, failed


class LoginRequired(LoginRequiredMiddleware):
    """Ask who it is only where it matters: views that are open to strangers take neither a session nor the database."""

    def process_view(self, request: HttpRequest, view_func: Any, *arguments: Any) -> HttpResponseBase | None:
        if not getattr(view_func, "login_required", True):
            return None
        return super().process_view(request, view_func, *arguments)

    def handle_no_permission(self, request: HttpRequest, view_func: Any) -> HttpResponseRedirect:
        if request.resolver_match is not None and request.resolver_match.app_name == "admin":
            return redirect_to_login(request.get_full_path(), reverse("admin:login"))
        return super().handle_no_permission(request, view_func)


@method_decorator(login_not_required, name="dispatch")
class LoginView(views.LoginView):
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {
            "demo_user": LOGIN if settings.LDPSITE_DEMO else "",
            "provider": settings.LDPSITE_OIDC_NAME if settings.LDPSITE_OIDC_DISCOVERY_URL else "",
            "passwords": settings.LDPSITE_PASSWORD_LOGIN,
        }

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if reason := refusal(request):
            return failed(request, reason)
        if request.method == "POST" and not settings.LDPSITE_PASSWORD_LOGIN:
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def get_default_redirect_url(self) -> str:
        return opening_address(person(self.request))

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        forget_browser_language(response, person(self.request))
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        return slowed_down(super().form_invalid(form), form)


@method_decorator(login_not_required, name="dispatch")
class LogoutView(views.LogoutView):
    """Ends the session here; who came from a provider is then told that the one there goes on."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.session.get(BACKEND_SESSION_KEY) == BACKEND:
            self.next_page = resolve_url("signed_out")
        return super().post(request, *args, **kwargs)
