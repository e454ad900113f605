"""The login; it and other forms answer 429 for an account that had too many failures."""

from typing import Any

from django.conf import settings
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.forms import BaseForm
from django.http import HttpResponse

from reports.demo.setup import LOGIN
from reports.logins import TooManyFailures


class LoginView(views.LoginView):
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"demo_user": LOGIN if settings.LDPSITE_DEMO else ""}

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        return slowed_down(super().form_invalid(form), form)


def slowed_down(response: HttpResponse, form: BaseForm) -> HttpResponse:
    """Say in the status what an error of the form says."""
    for error in (error for errors in form.errors.as_data().values() for error in errors):
        if isinstance(error, TooManyFailures):
            response.status_code = 429
            response.headers["Retry-After"] = str(error.seconds)
    return response
