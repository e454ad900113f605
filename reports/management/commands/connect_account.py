"""Let a person who has an account here keep it when they come by single sign-on."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from reports.accounts.single_sign_on.proxy import ISSUER
from reports.models import Identity


class Command(BaseCommand):
    help = (
        "Connect an account of this site with a person of the provider of single sign-on, or of the proxy: they log in"
        " to it from then on, with the rights of their groups there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="the user name of the account here")
        parser.add_argument("subject", metavar="SUBJECT", help="the person's claim `sub`, or the proxy's user header")
        parser.add_argument("--proxy", action="store_true", help="a person of the proxy, not of the provider")

    def handle(self, *args: Any, name: str, subject: str, proxy: bool, **options: Any) -> None:
        if not proxy and not settings.LDPSITE_OIDC_DISCOVERY_URL:
            raise CommandError("No provider is set up: LDPSITE_OIDC_DISCOVERY_URL is empty.")
        person = User.objects.filter(username=name).first()
        if person is None:
            raise CommandError(f"There is no account called {name!r}.")
        issuer = ISSUER if proxy else _issuer()
        identity, _is_new = Identity.objects.get_or_create(issuer=issuer, subject=subject, defaults={"user": person})
        if identity.user_id != person.pk:
            raise CommandError(f"{subject} has the account {identity.user.get_username()!r} already.")
        self.stdout.write(f"{name}: connected with {subject}")


def _issuer() -> str:
    from reports.accounts.single_sign_on import oidc

    try:
        return oidc.issuer()
    except oidc.LoginFailed as error:
        raise CommandError(f"The provider does not answer ({error.detail}).") from error
