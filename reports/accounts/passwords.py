"""Mails that reset a forgotten password."""

from contextlib import suppress

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.urls import reverse
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _

from reports.accounts.mails import NoMail, send_mail
from reports.accounts.preferences import preferences_of


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
    with suppress(NoMail):
        send_mail(_("A new password for ldpsite"), "password_reset_email.txt", person, person.email, path)
