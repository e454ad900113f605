"""Mails that reset a forgotten password."""

import logging
import smtplib

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from reports.accounts.preferences import preferences_of

logger = logging.getLogger(__name__)


def send_resets(people: list[int], language: str) -> None:
    """Send each a link, in the language of their settings or else in this one.

    It holds until it is used and for `PASSWORD_RESET_TIMEOUT` seconds at most.
    """
    for person in User.objects.select_related("preferences").filter(pk__in=people, is_active=True):
        chosen = preferences_of(person)
        with translation.override(chosen.language if chosen is not None and chosen.language else language):
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
