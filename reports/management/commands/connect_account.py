"""Let a person who has an account here keep it when they come by single sign-on."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from reports.accounts.single_sign_on.proxy import ISSUER
from reports.models import Identity


class Command(BaseCommand):
    help = (
        "Connect an account of this site with a person of the provider of single sign-on, or of the proxy: they log in"
        " to it from then on, with the rights of their groups there, and no more with a password of this site."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="the user name of the account here")
        parser.add_argument("subject", metavar="SUBJECT", help="the person's claim `sub`, or the proxy's user header")
        parser.add_argument("--proxy", action="store_true", help="a person of the proxy, not of the provider")
        parser.add_argument(
            "--keep-password",
            action="store_true",
            help="leave the account its password here: it goes on to open the account once the provider refuses them",
        )

    @transaction.atomic
    def handle(self, *args: Any, name: str, subject: str, proxy: bool, keep_password: bool, **options: Any) -> None:
        if not proxy and not settings.LDPSITE_OIDC_DISCOVERY_URL:
            raise CommandError("No provider is set up: LDPSITE_OIDC_DISCOVERY_URL is empty.")
        person = User.objects.filter(username=name).first()
        if person is None:
            raise CommandError(f"There is no account called {name!r}.")
        issuer = ISSUER if proxy else _issuer()
        identity, _is_new = Identity.objects.get_or_create(issuer=issuer, subject=subject, defaults={"user": person})
        if identity.user_id != person.pk:
            raise CommandError(f"{subject} has the account {identity.user.get_username()!r} already.")
        if not keep_password and person.has_usable_password():
            # It would be a way in, and a mail that resets it another, that no refusal of the provider closes.
            person.set_unusable_password()
            person.save(update_fields=["password"])
        self.stdout.write(f"{name}: connected with {subject}")


def _issuer() -> str:
    from reports.accounts.single_sign_on import oidc

    try:
        return oidc.issuer()
    except oidc.LoginFailed as error:
        raise CommandError(f"The provider does not answer ({error.detail}).") from error
