"""The form that asks for a new password: its answer does not tell whether the address is known."""

from typing import Any

from django.contrib.auth.forms import PasswordResetForm
from django.utils import translation

from reports.accounts.logins import count_reset
from reports.accounts.tasks import send_password_resets


class ResetForm(PasswordResetForm):
    """Django's form, which leaves the mail to a worker: waiting for it would disclose that the account exists."""

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        count_reset(email)
        return email

    def save(self, *_arguments: Any, **_options: Any) -> None:
        """Enqueue the mails, also if there are none. Raises Celery's errors if there is no broker."""
        people = [person.pk for person in self.get_users(self.cleaned_data["email"])]
        send_password_resets.apply_async((people, translation.get_language()), retry=False, expires=3600)
