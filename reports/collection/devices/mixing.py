"""Mixing what waits, so that not even PostgreSQL's own columns tell which rows came together, or in which order."""

from django.db import connection, transaction

from reports.locks import Lock, advisory_lock
from reports.models import Version

# So many rows of a version may have come in one document, and more that have a transaction in common were mixed. Fewer
# are written anew each time, whether or not they were mixed: that takes milliseconds.
FEW = 1000

# Whatever commits together has the number of its transaction, and lies side by side.
_RECORDS_HAVE_COME = """
SELECT EXISTS (
    SELECT FROM reports_devicerecord WHERE version_id = %(version)s AND xmin <> (
        SELECT xmin FROM reports_devicerecord WHERE version_id = %(version)s LIMIT 1
    )
)
"""
# A single document for several versions: its rows have but one transaction in each of them, and it is the same.
_ARE_FEW = """
SELECT count(*) BETWEEN 1 AND %(few)s
FROM (SELECT FROM reports_devicerecord WHERE version_id = %(version)s LIMIT %(few)s + 1) AS first_rows
"""
_KEYS_HAVE_COME = """
SELECT EXISTS (SELECT FROM reports_devicekey WHERE xmin <> (SELECT xmin FROM reports_devicekey LIMIT 1))
"""
# Their keys are random, so that this is an order in which no sender had a part.
_REWRITE_RECORDS = """
WITH old AS (
    DELETE FROM reports_devicerecord WHERE version_id = %(version)s
    RETURNING id, version_id, locale, stream, day, record
)
INSERT INTO reports_devicerecord (id, version_id, locale, stream, day, record)
SELECT id, version_id, locale, stream, day, record FROM old ORDER BY id
"""
_REWRITE_KEYS = """
WITH old AS (DELETE FROM reports_devicekey RETURNING key_hmac, day)
INSERT INTO reports_devicekey (key_hmac, day) SELECT key_hmac, day FROM old ORDER BY key_hmac
"""
_VACUUM = "VACUUM (TRUNCATE false) reports_devicerecord, reports_devicekey"


def mix() -> bool:
    """Write the rows of each version anew, if some have come since the last time; returns whether any were written.

    Each version in a transaction of its own, and then the keys: no sender waits for it, save for one who sends a
    document again, and only while the keys are written. While rows become a batch, it is left for later.
    """
    with advisory_lock(Lock.WAITING, 0, wait=False) as acquired:
        if not acquired:
            return False
        done = [_mix_records(version) for version in Version.objects.select_related("use_case__budget_group")]
        return any([*done, _mix_keys()])


@transaction.atomic
def _mix_records(version: Version) -> bool:
    few = max(FEW, version.use_case.reports_per_day * len(version.mechanism.streams))
    values = {"version": version.pk, "few": few}
    if not (_answer(_RECORDS_HAVE_COME, values) or _answer(_ARE_FEW, values)):
        return False
    with connection.cursor() as cursor:
        cursor.execute(_REWRITE_RECORDS, values)
    return True


@transaction.atomic
def _mix_keys() -> bool:
    if not _answer(_KEYS_HAVE_COME, {}):
        return False
    with connection.cursor() as cursor:
        cursor.execute(_REWRITE_KEYS)
    return True


def _answer(question: str, values: dict[str, int]) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(question, values)
        (answer,) = cursor.fetchone()
    return bool(answer)


def forget_the_unmixed() -> None:
    """Let the database throw away the rows as they were before; it would come to that some time later.

    Not in a transaction. What an older transaction could still see is left for the next time.
    """
    with connection.cursor() as cursor:
        cursor.execute(_VACUUM)
