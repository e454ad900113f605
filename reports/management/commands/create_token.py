"""Make a token with which a program may upload batches, or read results."""

import argparse
import datetime
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError

from reports.management.named import active_task_named, use_case_named
from reports.models import ApiToken
from reports.models.access import TOKEN_DAYS
from reports.models.uploads import utc_today


class Command(BaseCommand):
    help = "Make an API token. Its secret is printed once and cannot be read again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="what it is for, such as the collecting server's name")
        parser.add_argument(
            "--scope",
            dest="scopes",
            action="append",
            choices=["ingest", "read"],
            required=True,
            help="what it may do: upload reports, or read results; give both to allow both",
        )
        parser.add_argument(
            "--use-case",
            dest="slugs",
            action="append",
            metavar="SLUG",
            help="a use case that it is for; may be given several times. Without one it is for all, later ones too",
        )
        parser.add_argument(
            "--training-task",
            dest="tasks",
            action="append",
            metavar="SLUG",
            default=[],
            help="a training task that it may read; may be given several times. Without a use case, those alone",
        )
        parser.add_argument(
            "--days",
            type=_days,
            default=TOKEN_DAYS,
            metavar="N",
            help=f"on how many days it can be used, today included, at most {TOKEN_DAYS}, the default",
        )

    def handle(
        self,
        *args: Any,
        name: str,
        scopes: list[str],
        slugs: list[str] | None,
        tasks: list[str],
        days: int,
        **options: Any,
    ) -> None:
        name = name.strip()
        if not 1 <= len(name) <= 80:
            raise CommandError("The name must have 1 to 80 characters.")
        use_cases = None if slugs is None and not tasks else [use_case_named(slug) for slug in slugs or []]
        if tasks and "read" not in scopes:
            raise CommandError("Training tasks are read: give --scope read.")
        try:
            _token, secret = ApiToken.create(
                name,
                may_ingest="ingest" in scopes,
                may_read="read" in scopes,
                use_cases=use_cases,
                training_tasks=[active_task_named(slug).task for slug in tasks],
                expires_on=utc_today() + datetime.timedelta(days=days),
            )
        except IntegrityError:
            raise CommandError(f"There is a token called {name!r} already.") from None
        self.stdout.write(secret)


def _days(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= TOKEN_DAYS:
        return int(text)
    raise argparse.ArgumentTypeError(f"it must be a whole number from 1 to {TOKEN_DAYS}")
