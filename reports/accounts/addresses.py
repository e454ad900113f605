"""Another e-mail address for an account: it counts once the link of a mail to it was followed by its person."""

import logging
import smtplib

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

logger = logging.getLogger(__name__)

_SALT = "reports.accounts.addresses"


class NoMail(Exception):
    """The mail could not be sent now."""


def send_confirmation(person: User, address: str) -> None:
    """Send the link to the new address. Raises `NoMail`."""
    link = f"{settings.LDPSITE_ADDRESS}{reverse('confirm_address', args=[key_for(person, address)])}"
    hours = settings.PASSWORD_RESET_TIMEOUT // 3600
    text = {"name": person.get_username(), "link": link, "hours": hours}
    body = render_to_string("registration/address_email.txt", text)
    _send(_("Confirm your address for ldpsite"), body, address)


def key_for(person: User, address: str) -> str:
    """Return the key of a link, which is good for this person alone, and until the address is another."""
    return signing.dumps([person.pk, person.email, address], salt=_SALT)


def confirmed(person: User, key: str) -> str | None:
    """Return the address that the link of a mail confirms; None if it is over, or for another account."""
    try:
        pk, before, address = signing.loads(key, salt=_SALT, max_age=settings.PASSWORD_RESET_TIMEOUT)
    except (signing.BadSignature, ValueError):
        return None
    return address if (pk, before) == (person.pk, person.email) else None


def change(person: User, address: str) -> None:
    """Change the address, and tell the one before: it may be the first that its owner hears of it."""
    before, person.email = person.email, address
    person.save(update_fields=["email"])
    if before and settings.EMAIL_HOST:
        body = render_to_string("registration/address_changed_email.txt", {"name": person.get_username()})
        try:
            _send(_("Your address for ldpsite was changed"), body, before)
        except NoMail:
            pass


def _send(subject: str, body: str, address: str) -> None:
    message = EmailMessage(subject, body, to=[address], headers={"Auto-Submitted": "auto-generated"})
    try:
        message.send()
    except (smtplib.SMTPException, OSError, ValueError) as error:
        # Without its text, which may have the address.
        logger.warning("A mail about the address of an account could not be sent (%s).", type(error).__name__)
        raise NoMail from error
