"""Django's `migrate`, one at a time: two that start together would both create the same tables."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connection

LOCK = 0x6C647000


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        with connection.cursor() as cursor:
            # Of the session: a process that dies gives it back.
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        try:
            super().handle(*args, **options)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
