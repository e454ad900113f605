"""Mixing what waits, so that not even PostgreSQL's own columns tell which rows came together, or in which order."""

from django.db import connection, transaction

from reports.locks import Lock, alone

# Whatever commits together has the number of its transaction, and lies side by side.
_HAS_COME = """
SELECT EXISTS (
    SELECT FROM reports_devicerecord WHERE xmin <> (SELECT xmin FROM reports_devicerecord LIMIT 1)
)
"""
# Their keys are random, so that this is an order which nobody who sent them had a part in.
_REWRITE = (
    """
    WITH old AS (DELETE FROM reports_devicerecord RETURNING id, version_id, locale, stream, day, record)
    INSERT INTO reports_devicerecord (id, version_id, locale, stream, day, record)
    SELECT id, version_id, locale, stream, day, record FROM old ORDER BY id
    """,
    """
    WITH old AS (DELETE FROM reports_devicekey RETURNING key_hmac, day)
    INSERT INTO reports_devicekey (key_hmac, day) SELECT key_hmac, day FROM old ORDER BY key_hmac
    """,
)
_VACUUM = "VACUUM (TRUNCATE false) reports_devicerecord, reports_devicekey"


def mix() -> bool:
    """Write all rows anew in one transaction, if some have come since the last time; returns whether that was done.

    Nobody who sends waits for it, save for who sends a document again. While rows become a batch, it is left for later.
    """
    with alone(Lock.WAITING, 0, wait=False) as nobody_else:
        if not nobody_else:
            return False
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_HAS_COME)
            (has_come,) = cursor.fetchone()
            if has_come:
                for statement in _REWRITE:
                    cursor.execute(statement)
        return bool(has_come)


def forget_the_unmixed() -> None:
    """Let the database throw away the rows as they were before; it would come to that some time later.

    Not in a transaction. What an older transaction could still see is left for the next time.
    """
    with connection.cursor() as cursor:
        cursor.execute(_VACUUM)
