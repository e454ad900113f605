"""The login, which answers 429 for an account that had too many failures."""

from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpResponse

from reports.logins import TooManyFailures


class LoginView(views.LoginView):
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        for error in form.errors.as_data().get(NON_FIELD_ERRORS, []):
            if isinstance(error, TooManyFailures):
                response.status_code = 429
                response.headers["Retry-After"] = str(error.seconds)
        return response
