"""Loading a table without its indexes and constraints, and making them again, which is faster than keeping them up."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

# The primary key only of tables that nothing refers to.
CONSTRAINTS = """
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint AS this
WHERE conrelid = %s::regclass AND contype IN ('f', 'u', 'c', 'p')
  AND NOT (contype = 'p' AND EXISTS (SELECT FROM pg_constraint WHERE confrelid = this.conrelid))
ORDER BY contype = 'f'
"""
INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = %s::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""


@contextmanager
def without_indexes(*tables: str) -> Iterator[None]:
    """Take the constraints and indexes of tables away for the duration of the block."""
    again: list[str] = []
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # in a transaction no table is changed that has some to check
        # Foreign keys first: they rely on the indexes of others.
        for table in tables:
            cursor.execute(CONSTRAINTS, [table])
            constraints = cursor.fetchall()
            cursor.execute(INDEXES, [table])
            indexes = cursor.fetchall()
            for name, _definition in reversed(constraints):
                cursor.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"')
            for name, _definition in indexes:
                cursor.execute(f"DROP INDEX {name}")
            again += [definition for _name, definition in indexes]
            again += [f'ALTER TABLE "{table}" ADD CONSTRAINT "{name}" {text}' for name, text in constraints]
        yield
        again.sort(key=lambda statement: "FOREIGN KEY" in statement)
        cursor.execute("SET maintenance_work_mem = '512MB'")
        cursor.execute("SET max_parallel_maintenance_workers = 2")
        for statement in again:
            cursor.execute(statement)
