"""Another e-mail address for an account: it counts once the link of a mail to it was followed by its person."""

from contextlib import suppress

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext as _

from reports.accounts.mails import NoMail, send_mail

_SALT = "reports.accounts.addresses"


def send_confirmation(person: User, address: str) -> None:
    """Send the link to the new address. Raises `NoMail`."""
    path = reverse("confirm_address", args=[key_for(person, address)])
    send_mail(_("Confirm your address for ldpsite"), "address_email.txt", person, address, path)


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
        with suppress(NoMail):
            send_mail(_("Your address for ldpsite was changed"), "address_changed_email.txt", person, before)
