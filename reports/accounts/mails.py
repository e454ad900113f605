"""Mails about an account to its person, which hold a link that is good for some hours."""

import logging
import smtplib

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)


class NoMail(Exception):
    """The mail could not be sent now."""


def send_mail(subject: str, template: str, person: User, address: str, path: str = "") -> None:
    """Send a mail; `path` is that of its link. Raises `NoMail`, which is logged."""
    values = {
        "name": person.get_username(),
        "link": f"{settings.LDPSITE_ADDRESS}{path}",
        "hours": settings.PASSWORD_RESET_TIMEOUT // 3600,
    }
    body = render_to_string(f"registration/{template}", values)
    message = EmailMessage(subject, body, to=[address], headers={"Auto-Submitted": "auto-generated"})
    try:
        message.send()
    except (smtplib.SMTPException, OSError, ValueError) as error:
        # Without its text, which may have the address.
        logger.warning("The mail %s could not be sent (%s).", template, type(error).__name__)
        raise NoMail from error
