"""Resetting forgotten passwords by mail: whoever asks does not learn whether anybody has the address."""

import logging
import smtplib
from typing import Any

from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from reports.accounts.logins import count_reset

logger = logging.getLogger(__name__)


class ResetForm(PasswordResetForm):
    """Django's own, which leaves the mail to a worker: an answer that waited for it would tell that there is one."""

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        count_reset(email)
        return email

    def save(self, *_arguments: Any, **_options: Any) -> None:
        """Call a worker, also for nobody. Raises what Celery does if there is no broker."""
        from reports.accounts.tasks import send_password_resets

        people = [person.pk for person in self.get_users(self.cleaned_data["email"])]
        send_password_resets.apply_async((people, translation.get_language()), retry=False, expires=3600)


def send_resets(people: list[int], language: str) -> None:
    """Send each a link, which holds until it is used and for `PASSWORD_RESET_TIMEOUT` seconds at most."""
    for person in User.objects.filter(pk__in=people, is_active=True):
        with translation.override(language):
            _send_reset(person)


def _send_reset(person: User) -> None:
    key = urlsafe_base64_encode(force_bytes(person.pk))
    path = reverse("password_reset_confirm", args=[key, default_token_generator.make_token(person)])
    body = render_to_string(
        "registration/password_reset_email.txt",
        {
            "name": person.get_username(),
            "link": f"{settings.LDPSITE_ADDRESS}{path}",
            "hours": settings.PASSWORD_RESET_TIMEOUT // 3600,
        },
    )
    headers = {"Auto-Submitted": "auto-generated"}
    message = EmailMessage(_("A new password for ldpsite"), body, to=[person.email], headers=headers)
    try:
        message.send()
    except (smtplib.SMTPException, OSError, ValueError) as error:
        # Without its text, which may have the address.
        logger.warning("A mail that resets a password could not be sent (%s).", type(error).__name__)
