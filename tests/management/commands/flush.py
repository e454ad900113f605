"""Emptying of the database after each test that commits, of which there are hundreds.

Django would truncate all tables, which renews all their files, and write down permissions anew: that takes longer than
many of these tests. Here what has rows loses them. Permissions and content types stay, as no test changes them.
"""

from typing import Any, Final

from django.core.management.commands.flush import Command as Flush
from django.db import connections, transaction

KEPT: Final = {"auth_permission", "django_content_type"}


class Command(Flush):
    def handle(self, **options: Any) -> None:
        connection = connections[options["database"]]
        quoted = connection.ops.quote_name
        tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - KEPT
        with connection.cursor() as cursor:
            # Names of tables, which are not chosen from outside.
            rows = [f"SELECT '{name}' WHERE EXISTS (SELECT FROM {quoted(name)})" for name in sorted(tables)]  # noqa: S608
            cursor.execute(" UNION ALL ".join(rows))
            filled = [quoted(name) for (name,) in cursor.fetchall()]
            if not filled:
                return
            with transaction.atomic(using=connection.alias):
                # Foreign keys are looked at when the transaction ends, so that any order will do.
                for table in filled:
                    cursor.execute(f"DELETE FROM {table}")  # noqa: S608
            # So that the next test's rows lie in the order in which they are written.
            cursor.execute(f"VACUUM {', '.join(filled)}")
