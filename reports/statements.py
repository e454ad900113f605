"""Rows of several tables, written by one statement: one round trip to the database, and not one for each table."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Model
from django.db.models.sql import InsertQuery


class Statement(NamedTuple):
    """Statement that writes rows, and its values; without RETURNING."""

    sql: str
    values: Sequence[Any]


def insertion(rows: Sequence[Model]) -> Statement:
    """Compile the statement that inserts rows, at least one, of a model whose keys are not numbered."""
    query = InsertQuery(type(rows[0]))
    query.insert_values(rows[0]._meta.concrete_fields, list(rows))
    ((sql, values),) = query.get_compiler(connection=connection).as_sql()
    for row in rows:
        row._state.adding, row._state.db = False, connection.alias
    return Statement(sql, values)


def execute_together(statements: Sequence[Statement]) -> list[int]:
    """Execute statements as one; returns how many rows each has written. None sees what the others write."""
    parts = [f"part_{number} AS ({each.sql} RETURNING 1)" for number, each in enumerate(statements)]
    counts = [f"(SELECT count(*) FROM part_{number})" for number in range(len(parts))]  # noqa: S608 - a number alone
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH {', '.join(parts)} SELECT {', '.join(counts)}",
            [value for each in statements for value in each.values],
        )
        return list(cursor.fetchone())


def array_text(values: Iterable[int | str]) -> str:
    """Return keys or digests as PostgreSQL reads an array: of thousands, each by itself takes long to write."""
    return f"{{{','.join(map(str, values))}}}"
