"""Uploads, withdrawals and sealings at the same time: each report ends up withdrawn or counted, never both, never lost.

One of two does its work here; before each of its statements and commits in turn, the other does its own on another
connection, as far as locks let it. That is every order in which one finds the other half done; where a lock holds the
other up, it is tried again only before the step that lets locks go, for until then it would wait at that lock again.
"""

import datetime
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from django.db import connection

from aggregation.encoding import join_records, sort_records
from reports.collection import NotWithdrawable, seal_days, withdraw
from reports.collection.ingest import Key, Receipt
from reports.models import Batch, IdempotencyKey, PendingFile, Sealing, Shard, UploadDigest, Version
from reports.models.uploads import utc_today
from reports.storage import open_array
from tests.reports.factories import (
    batch_of,
    document,
    left_in_spool,
    make_version,
    ndjson,
    record_lines,
    segment,
    send,
    start_anew,
    stored_files,
)
from tests.reports.small_fleet import days_ago
from tests.workers import wait_for

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

# Models that uploads and sealings write.
WRITTEN = (Shard, Batch, Sealing, PendingFile, UploadDigest)
LOCALES = ("en_US", "fr_FR")
SLUGS = ("keyboard-emoji", "other")

Deed = Callable[[], object]
# Statements that let go of locks, as the end of a transaction does.
LETS_GO = ("unlock", "ROLLBACK")
# Contents of a batch: (use case, locale) -> record lines.
Content = dict[tuple[str, str], list[str]]


class Elsewhere:
    """A deed on a connection of its own."""

    def __init__(self, deed: Deed) -> None:
        self.deed = deed
        self.outcome: object = None
        self.error: BaseException | None = None
        self.backend: int | None = None
        self.thread = threading.Thread(target=self._work)

    def _work(self) -> None:
        try:
            connection.ensure_connection()
            self.backend = connection.connection.info.backend_pid
            self.outcome = self.deed()
        except BaseException as error:  # noqa: BLE001
            self.error = error
        finally:
            connection.close()

    def go_as_far_as_possible(self, observer: psycopg.Connection[Any]) -> None:
        """Start, and return when all is done or a lock is in the way."""
        self.thread.start()
        wait_for(lambda: not self.thread.is_alive() or self._waits(observer), pause=0.005)

    def _waits(self, observer: psycopg.Connection[Any]) -> bool:
        waiting = "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = %s AND NOT granted)"
        answer = observer.execute(waiting, [self.backend]).fetchone()
        return self.backend is not None and answer is not None and bool(answer[0])

    def finish(self) -> object:
        self.thread.join(timeout=30)
        assert not self.thread.is_alive(), "it waits for ever"
        if self.error is not None:
            raise self.error
        return self.outcome


def disturbed(
    first: Deed, second: Deed, place: int, observer: psycopg.Connection[Any]
) -> tuple[object, object, int] | None:
    """Do the first, and the second before the first's step number `place`: both outcomes, and the next place to try.

    None if it has fewer steps.
    """
    other = Elsewhere(second)
    steps, held_up, next_place = itertools.count(), False, place + 1

    def step(lets_go: bool) -> None:
        nonlocal held_up, next_place
        number = next(steps)
        if number == place:
            other.go_as_far_as_possible(observer)
            held_up = other.thread.is_alive() and not lets_go
        elif held_up and lets_go:
            held_up, next_place = False, number

    def before_statement(execute: Callable[..., object], sql: str, *arguments: object) -> object:
        step(any(words in sql for words in LETS_GO))
        return execute(sql, *arguments)

    def letting_go(end: Callable[[], None]) -> Callable[[], None]:
        def end_transaction() -> None:
            step(True)
            end()

        return end_transaction

    with pytest.MonkeyPatch.context() as patched, connection.execute_wrapper(before_statement):
        patched.setattr(connection, "commit", letting_go(connection.commit))
        patched.setattr(connection, "rollback", letting_go(connection.rollback))
        outcome = first()
    if other.thread.ident is None:
        return None
    return outcome, other.finish(), next_place


def orders(
    one: Deed, two: Deed, prepare: Callable[[], None], observer: psycopg.Connection[Any]
) -> Iterator[tuple[object, object]]:
    """The outcomes of the one and the two in every order, each from a fresh start."""
    # Where both do the same it does not matter which of them is first.
    for first, second, turned in ((one, two, False), (two, one, True))[: 1 if one is two else 2]:
        place = 0
        while True:
            start_anew(*WRITTEN)
            prepare()
            found = disturbed(first, second, place, observer)
            if found is None:
                assert place >= 5, "the steps are not seen"
                break
            of_first, of_second, place = found
            yield (of_second, of_first) if turned else (of_first, of_second)


# --- What is sent, and what is there at the end ---


def content(size: int, seed: int, slugs: tuple[str, ...] = SLUGS[:1], locales: tuple[str, ...] = LOCALES) -> Content:
    keys = list(itertools.product(slugs, locales))
    return {key: record_lines(size + place, 10 * seed + place) for place, key in enumerate(keys)}


def send_content(sent: Content, day: datetime.date | None = None, key: Key | None = None) -> Receipt:
    segments = [segment(list(lines), use_case=slug, locale=locale) for (slug, locale), lines in sent.items()]
    return send(ndjson(document(*segments)), day=day, key=key)


def assert_counted(version: Version, *expected: Content) -> None:
    """Exactly these batches are sealed, and nothing else lies about."""
    mechanism = version.mechanism
    for key in {key for sent in expected for key in sent}:
        slug, locale = key
        lines: list[object] = [line for sent in expected for line in sent.get(key, [])]
        found = Shard.objects.filter(version__use_case__slug=slug, locale=locale)
        assert not found.exclude(batch=None).exists()
        assert sum(found.values_list("size", flat=True)) == len(lines)
        records = sort_records(join_records([np.array(open_array(shard.file_name)) for shard in found]))
        assert records.tobytes() == sort_records(mechanism.parse_records(lines).streams["element"]).tobytes()
    assert set(stored_files()) == set(Shard.objects.values_list("file_name", flat=True))
    assert not PendingFile.objects.exists()
    assert not left_in_spool()


def withdraw_if_open(batch: Batch) -> bool:
    try:
        withdraw(batch)
    except NotWithdrawable:
        return False
    return True


# --- Two at a time, in every order ---


def test_withdrawing_and_sealing(observer: psycopg.Connection[Any]) -> None:
    """A batch that has reports for two versions, of which one is sealed meanwhile."""
    version, _other = [make_version(slug=slug) for slug in SLUGS]
    kept, doomed = content(20, 1, SLUGS[:1], LOCALES[:1]), content(10, 2, SLUGS, LOCALES[:1])
    batches: list[Batch] = []

    def prepare() -> None:
        batches[:] = [batch_of(send_content(sent)) for sent in (kept, doomed)]

    seen = set()
    for gone, _ in orders(lambda: withdraw_if_open(batches[1]), lambda: seal_days(version), prepare, observer):
        for each in Version.objects.all():
            seal_days(each)
        assert_counted(version, kept, *([] if gone else [doomed]))
        states = {batch.pk: batch.state for batch in Batch.objects.all()}
        assert states == {batches[0].pk: "sealed", batches[1].pk: "withdrawn" if gone else "sealed"}
        seen.add(gone)
    assert seen == {True, False}


def test_uploading_and_sealing(observer: psycopg.Connection[Any]) -> None:
    """Reports of yesterday, which is sealed meanwhile; those of today are among `test_all_at_once`."""
    day = days_ago(1)
    version = make_version()
    early, late = content(20, 1, locales=LOCALES[:1]), content(10, 2, locales=LOCALES[:1])
    seen = set()
    uploads = orders(lambda: send_content(late, day), lambda: seal_days(version), lambda: stored(early, day), observer)
    for receipt, _ in uploads:
        assert isinstance(receipt, Receipt)
        batch = batch_of(receipt)
        seen.add((batch.state, batch.day))
        seal_days(version)
        assert_counted(version, early, late)
        assert not Batch.objects.exclude(state="sealed").exists()
        # A day that is over is sealed once: who comes too late for it is counted today.
        assert Sealing.objects.filter(day=day).count() == 1
        assert set(Shard.objects.filter(sealing__day=batch.day).values_list("day", flat=True)) == {batch.day}
    assert seen == {("sealed", day), ("open", utc_today())}


def stored(sent: Content, day: datetime.date) -> None:
    send_content(sent, day)


def test_withdrawing_twice(observer: psycopg.Connection[Any]) -> None:
    version = make_version()
    doomed = content(10, 2, locales=LOCALES[:1])

    def deed() -> bool:
        return withdraw_if_open(Batch.objects.get())

    for outcomes in orders(deed, deed, lambda: stored(doomed, utc_today()), observer):
        assert sorted(map(bool, outcomes)) == [False, True]
        assert_counted(version)
        assert not stored_files()


def test_sealing_twice(observer: psycopg.Connection[Any]) -> None:
    version = make_version()
    sent = [content(20, 1, locales=LOCALES[:1]), content(10, 2, locales=LOCALES[:1])]

    def prepare() -> None:
        for one in sent:
            send_content(one)

    def deed() -> None:
        seal_days(version)

    for _ in orders(deed, deed, prepare, observer):
        assert_counted(version, *sent)
        assert Sealing.objects.count() == 1
        assert Shard.objects.count() == 1


def test_sending_again_under_a_key_and_withdrawing(observer: psycopg.Connection[Any]) -> None:
    """An upload that is known by its content, too: the second is either the first, or a batch of its own."""
    version = make_version()
    sent = {("keyboard-emoji", "en_US"): record_lines(1000)}
    again = Key("token 1", "again")
    batches: list[Batch] = []

    def prepare() -> None:
        IdempotencyKey.objects.all().delete()
        batches[:] = [batch_of(send_content(sent))]

    seen = set()
    for receipt, gone in orders(
        lambda: send_content(sent, key=again), lambda: withdraw_if_open(batches[0]), prepare, observer
    ):
        assert isinstance(receipt, Receipt)
        assert gone
        assert receipt.duplicate == (receipt.batch is None)
        # A key stays only with a batch that is there.
        assert [kept.batch_id for kept in IdempotencyKey.objects.all()] == [receipt.batch] * (not receipt.duplicate)
        seal_days(version)
        assert_counted(version, *([] if receipt.duplicate else [sent]))
        seen.add(receipt.duplicate)
    assert seen == {True, False}


# --- Many at a time ---


def test_all_at_once() -> None:
    version = make_version()
    together = threading.Barrier(14)
    fates: dict[int, bool] = {}

    def upload(seed: int) -> None:
        together.wait(timeout=20)
        batch = batch_of(send_content(content(10, seed)))
        fates[seed] = seed % 2 == 0 and withdraw_if_open(batch)

    def seal() -> None:
        together.wait(timeout=20)
        for _ in range(5):
            seal_days(version)

    deeds: list[Deed] = [*(lambda seed=seed: upload(seed) for seed in range(10)), *[seal] * 4]
    others = [Elsewhere(deed) for deed in deeds]
    for other in others:
        other.thread.start()
    for other in others:
        other.finish()
    seal_days(version)
    assert len(fates) == 10
    assert_counted(version, *(content(10, seed) for seed, gone in fates.items() if not gone))
    assert Batch.objects.filter(state="withdrawn").count() == sum(fates.values())
