"""A sealed training run leaves nothing of what devices held or sent: not in the database or its log, files, or logs."""

import datetime
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from django.db import ProgrammingError, connection, transaction
from psycopg import sql

from aggregation import training
from aggregation.training.roles import taking_part
from aggregation.training.roles.sealing import seal
from reports.jobs import finish_inline
from reports.models import TrainingRun
from reports.training import DeviceData, document_of, order_training
from tests.reports.factories import stored_files
from tests.reports.trained import define_task, device_data

# Files go when a transaction has ended.
pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

PERSON = "planted-person"


def planted() -> tuple[DeviceData, list[bytes]]:
    """Return ratings under planted names and with values that no other has, and the marks that they leave."""
    ratings = device_data().ratings
    odd = np.linspace(0, 1e-3, len(ratings.values))
    values = np.clip(ratings.values + np.where(ratings.values > 3, -odd, odd), 1, 5).astype(np.float32)
    names = [f"{PERSON}-{number}" for number in range(len(ratings.user_names))]
    own = training.Ratings(ratings.users, ratings.items, values, names, ratings.item_names)
    marks = [values[start : start + 4].tobytes() for start in range(0, len(values), 40)]
    return DeviceData(own, None), [PERSON.encode(), *marks]


def rows() -> Iterator[str]:
    """Yield every row of every table as text."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(sql.SQL("SELECT t::text FROM {} t").format(sql.Identifier(table)))
            yield from (row for (row,) in cursor.fetchall())


def in_log_of_changes(marks: list[bytes], since: datetime.datetime) -> set[bytes] | None:
    """Return the marks that are in the database's log of changes since a moment; None if it may not be read."""
    found = set[bytes]()
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 'pg_wal/' || name, size FROM pg_ls_waldir() WHERE modification >= %s", [since])
            for name, size in cursor.fetchall():
                # Here and not in the database, which takes long to search so much.
                cursor.execute("SELECT pg_read_binary_file(%s, 0, %s, missing_ok => true)", [name, size])
                content = bytes(cursor.fetchone()[0] or b"")
                found |= {mark for mark in marks if mark in content}
    except ProgrammingError:
        return None
    return found


def test_a_sealed_run_leaves_nothing_of_what_devices_held_or_sent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    sent: list[bytes] = []

    def listening(content: bytes, *rest: Any) -> bytes:
        sent.append(content)
        return seal(content, *rest)

    monkeypatch.setattr(taking_part, "seal", listening)
    with connection.cursor() as cursor:
        cursor.execute("SELECT date_trunc('second', clock_timestamp())")
        (since,) = cursor.fetchone()
    data, marks = planted()
    run = finish_inline(order_training(define_task(rounds=1, mode="train_only"), data, ring=False, seed=7, sealed=True))
    assert run.state == TrainingRun.State.FINISHED, run.failure
    assert len(sent) == len(data.ratings.user_names)
    # Tokens, and numbers of the contribution.
    marks += [part for content in sent[::6] for part in (content[1:17], content[-60:-40]) if any(part)]
    texts = "\n".join([*rows(), caplog.text, str(document_of(run))])
    assert "Films to watch" in texts
    assert [mark for mark in marks if mark.hex() in texts] == []
    assert PERSON not in texts
    files = stored_files()
    assert files
    assert [(name, mark) for name, content in files.items() for mark in marks if mark in content] == []
    assert in_log_of_changes([b"Films to watch", *marks], since) in (None, {b"Films to watch"})
