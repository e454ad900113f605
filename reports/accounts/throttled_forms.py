"""Forms for passwords and addresses, throttled after too many failures."""

from http import HTTPStatus
from typing import TypeVar

from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm
from django.forms import BaseForm
from django.http import HttpResponse

from reports.accounts.logins import TooManyFailures

Response = TypeVar("Response", bound=HttpResponse)


class ThrottledPasswordChangeForm(PasswordChangeForm):
    def clean_old_password(self) -> str:
        # Asks the backends, as a login does: an open session must not let anybody try as many passwords as they like.
        authenticate(username=self.user.get_username(), password=self.cleaned_data["old_password"])
        return super().clean_old_password()


def slowed_down(response: Response, form: BaseForm) -> Response:
    """Set the status of a response whose form was throttled."""
    for error in (error for errors in form.errors.as_data().values() for error in errors):
        if isinstance(error, TooManyFailures):
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response.headers["Retry-After"] = str(error.seconds)
    return response
