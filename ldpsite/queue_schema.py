"""The schema of the queue, when the broker is the project's own PostgreSQL: plain SQL, no server extension."""

from typing import Any

from django.conf import settings
from django.db import connections, transaction
from pgmq import get_embedded_install_sql, get_embedded_sql_version

COMMENT = "Celery queue of ldpsite, pgmq {}"


def keep_queue_schema(*, using: str, **_: Any) -> None:
    """Install the queue's functions, or renew them after an update of the package. Runs after `migrate`.

    Renewing drops what is queued: only doorbells, which the periodic sweep rings again. A schema made by
    others (the server extension, say) is left alone. `migrate` runs one at a time.
    """
    if not settings.BROKER_IN_DATABASE or using != "default":
        return
    wanted = COMMENT.format(get_embedded_sql_version())
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        cursor.execute("SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'pgmq'")
        found = cursor.fetchone()
        if found is not None:
            comment = found[0] or ""
            if comment == wanted or not comment.startswith(COMMENT.format("")):
                return
            cursor.execute("DROP SCHEMA pgmq CASCADE")
        cursor.execute(get_embedded_install_sql())
        cursor.execute(f"COMMENT ON SCHEMA pgmq IS '{wanted}'")
