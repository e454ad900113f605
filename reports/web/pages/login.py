"""The login of the pages."""

from typing import Any

from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpResponse

from reports.accounts.throttled_forms import slowed_down
from reports.demo.setup import LOGIN
from reports.web.pages.people import person
from reports.web.pages.preferences_page import forget_browser_language, opening_address


class LoginView(views.LoginView):
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"demo_user": LOGIN if settings.LDPSITE_DEMO else ""}

    def get_default_redirect_url(self) -> str:
        return opening_address(person(self.request))

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        forget_browser_language(response, person(self.request))
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        return slowed_down(super().form_invalid(form), form)
