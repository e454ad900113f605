"""The form that asks for a new password: its answer does not tell whether the address is known."""

from typing import Any

from django.contrib.auth.forms import PasswordResetForm
from django.utils import translation

from reports.accounts.logins import count_reset
from reports.accounts.tasks import send_password_resets


class ResetForm(PasswordResetForm):
    """Django's own, which leaves the mail to a worker: an answer that waited for it would tell that there is one."""

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        count_reset(email)
        return email

    def save(self, *_arguments: Any, **_options: Any) -> None:
        """Call a worker, also for nobody. Raises what Celery does if there is no broker."""
        people = [person.pk for person in self.get_users(self.cleaned_data["email"])]
        send_password_resets.apply_async((people, translation.get_language()), retry=False, expires=3600)
