"""Forms for passwords and addresses, throttled after too many failures."""

from http import HTTPStatus
from typing import Any, TypeVar

from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.forms import BaseForm, CharField, EmailField, Form, PasswordInput
from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reports.accounts.logins import TooManyFailures, count_reset

Response = TypeVar("Response", bound=HttpResponse)


class ThrottledPasswordChangeForm(PasswordChangeForm):
    def clean_old_password(self) -> str:
        # Asks the backends, as a login does: an open session must not let anybody try as many passwords as they like.
        authenticate(username=self.user.get_username(), password=self.cleaned_data["old_password"])
        return super().clean_old_password()


class AddressForm(Form):
    """Another address for an account, and its password: mails to the address reset that."""

    email = EmailField(label=gettext_lazy("New e-mail address"), max_length=254)
    password = CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, person: User, data: QueryDict | None) -> None:
        super().__init__(data)
        self._person = person

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if authenticate(username=self._person.get_username(), password=password) is None:
            raise ValidationError(_("The password is wrong."))
        return password

    def clean(self) -> dict[str, Any] | None:
        # Only now: without the password no mail is sent.
        if not self.errors and self.cleaned_data["email"]:
            count_reset(self.cleaned_data["email"])
        return super().clean()


def slowed_down(response: Response, form: BaseForm) -> Response:
    """Set the status of a response whose form was throttled."""
    for error in (error for errors in form.errors.as_data().values() for error in errors):
        if isinstance(error, TooManyFailures):
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response.headers["Retry-After"] = str(error.seconds)
    return response
