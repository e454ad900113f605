"""Make a token with which a collecting server may upload batches."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError, transaction

from reports.models import ApiToken


class Command(BaseCommand):
    help = "Make an upload token. Its secret is printed once and cannot be read again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="what it is for, such as the collecting server's name")

    def handle(self, *args: Any, name: str, **options: Any) -> None:
        name = name.strip()
        if not 1 <= len(name) <= 80:
            raise CommandError("The name must have 1 to 80 characters.")
        try:
            with transaction.atomic():
                _token, secret = ApiToken.create(name, may_ingest=True)
        except IntegrityError:
            raise CommandError(f"There is a token called {name!r} already.") from None
        self.stdout.write(secret)
