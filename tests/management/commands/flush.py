"""How the database is emptied after each test that commits: what has rows loses them.

Hundreds of tests do. Django would truncate every table, which renews their files, and then write down permissions
anew: that takes longer than many of these tests. Here permissions and content types stay, as nothing changes them.
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
        # Names of tables, which no one from outside chooses.
        asked = " UNION ALL ".join(
            f"SELECT '{table}' WHERE EXISTS (SELECT FROM {quoted(table)})"  # noqa: S608
            for table in sorted(tables)
        )
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute(asked)
            # Foreign keys are looked at when the transaction ends, so that any order will do.
            for (table,) in cursor.fetchall():
                cursor.execute(f"DELETE FROM {quoted(table)}")  # noqa: S608
