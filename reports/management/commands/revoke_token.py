"""Take an API token back."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.models import ApiToken


class Command(BaseCommand):
    help = "Revoke an API token: it opens nothing any more. Its name stays taken."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="the name it was made with")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        if not ApiToken.objects.filter(name=name, revoked=False).update(revoked=True):
            raise CommandError(f"There is no token called {name!r} that could be revoked.")
        self.stdout.write(f"{name}: revoked")
