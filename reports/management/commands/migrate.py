"""Django's `migrate`, one at a time, of databases that can be brought to this release."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from reports.operations import reason_to_refuse

LOCK = 0x6C647000


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        with connection.cursor() as cursor:
            # Two that start together would both create the same tables. Of the session: a process that dies gives it
            # back.
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        try:
            # Before Django looks, which would fail without words, or create tables again beside those that are there.
            if reason := reason_to_refuse(MigrationRecorder(connection).applied_migrations()):
                raise CommandError(f"This database {reason}")
            super().handle(*args, **options)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
