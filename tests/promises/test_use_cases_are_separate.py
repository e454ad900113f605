"""Use cases are separated: from arrival to page, no query and no file brings two of them together."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from reports import storage
from reports.collection import devices
from reports.collection.closing import seal_finished_days
from reports.models import Batch, DeviceRecord, DroppedReports, MixedRecords, Shard, Version
from reports.retention import delete_all
from reports.runs import uncounted_versions
from tests.reports.devices import arrive
from tests.reports.small_fleet import aggregate, days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db]

# Tables whose rows hold what devices sent, or what was made of it.
OF_REPORTS = ("devicerecord", "mixedrecords", "shard", "quarantinedshard", "readout", "histogram", "histogramentries")
FROM_REPORTS = re.compile(rf'(?:FROM|JOIN) "reports_({"|".join(OF_REPORTS)})"(?! WHERE FALSE)')


class Watched:
    """Versions whose reports each query answers with."""

    def __init__(self) -> None:
        self.seen: list[tuple[set[int], str]] = []
        self._asking = False

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        result = execute(sql, params, many, context)
        table = FROM_REPORTS.search(sql)
        if table and sql.startswith("SELECT") and not self._asking and not many:
            self._ask(sql.replace(" FOR UPDATE", ""), params, [column.name for column in context["cursor"].description])
        return result

    def _ask(self, sql: str, params: Any, names: list[str]) -> None:
        """Whose rows these are. Where neither is among the columns, they are numbers and names, and no rows."""
        owner = next((name for name in ("version_id", "histogram_id") if name in names), None)
        if owner is None:
            return
        numbered = ", ".join(f"c{number}" for number in range(len(names)))
        column = f"c{names.index(owner)}"
        query = f"SELECT DISTINCT {column} FROM ({sql}) AS q({numbered})"  # noqa: S608
        if owner == "histogram_id":
            query = f"SELECT DISTINCT version_id FROM reports_histogram WHERE id IN ({query})"  # noqa: S608
        self._asking = True
        try:
            with connection.cursor() as cursor:
                cursor.execute(query, params)
                self.seen.append(({pk for (pk,) in cursor.fetchall()}, sql))
        finally:
            self._asking = False


@contextmanager
def watched() -> Iterator[Watched]:
    watcher = Watched()
    with connection.execute_wrapper(watcher):
        yield watcher
    assert watcher.seen


@pytest.fixture
def two(db: None) -> list[Version]:
    versions = [define(slug=slug, title=slug.title()) for slug in ("fruits", "foods")]
    for version in versions:
        for locale in version.locales:
            send(version, 300, locale=locale, day=days_ago(1))
    return versions


def test_no_query_answers_with_reports_of_two_use_cases(two: list[Version], alice: User, client: Client) -> None:
    client.force_login(alice)
    with watched() as seen:
        for version in two:
            aggregate(version)
        for path in (
            "/",
            *(reverse(name, args=[slug]) for name in OF_RESULTS for slug in SLUGS),
        ):
            assert client.get(path, follow=True).status_code == 200
    assert {pk for versions, _sql in seen.seen for pk in versions} == {version.pk for version in two}
    assert [sql for versions, sql in seen.seen if len(versions) > 1] == []


SLUGS = ("fruits", "foods")
OF_RESULTS = (
    *("use_case", "use_case_json", "api_histogram", "compare", "comparison_json", "api_comparison"),
    *("trend", "trend_json", "api_trend"),
)


# --- Records of devices, while they wait ---

# Statements that find, change or delete rows that are there; the one that adds a device's document finds none.
OF_WAITING_ROWS = re.compile(r'(?:FROM|JOIN|UPDATE) "?reports_(?:devicerecord|mixedrecords)\b(?!"? WHERE FALSE)')
CHANGES = re.compile(r"\s*(?:WITH|INSERT|UPDATE|DELETE)\b")
PLACE = re.compile(r"%(?:\((\w+)\))?[sbt]")
OF_ONE_VERSION = re.compile(r'version_id"? = $')


def versions_named(sql: str, params: Any) -> set[int]:
    """The versions that the conditions of a statement name."""
    places = list(PLACE.finditer(sql))
    return {
        params[place[1] or number] for number, place in enumerate(places) if OF_ONE_VERSION.search(sql[: place.start()])
    }


class Statements(list[tuple[str, Any]]):
    """Statements about waiting rows that change something or that we wrote ourselves, and their parameters."""

    def add(self, sql: str, params: Any) -> None:
        if OF_WAITING_ROWS.search(sql) and (CHANGES.match(sql) or "FROM reports_" in sql):
            self.append((sql, params))

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        self.add(sql, params)
        return execute(sql, params, many, context)


@pytest.fixture
def statements(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Statements]:
    """Django's cursors and the driver's own, which it does not see."""
    found = Statements()

    class Watching(psycopg.Cursor[Any]):
        def execute(self, query: Any, params: Any = None, **rest: Any) -> Any:
            found.add(query, params)
            return super().execute(query, params, **rest)

        def stream(self, query: Any, params: Any = None, **rest: Any) -> Any:
            found.add(query, params)
            return super().stream(query, params, **rest)

    monkeypatch.setattr(psycopg, "Cursor", Watching)
    with connection.execute_wrapper(found):
        yield found


def test_waiting_records_of_two_use_cases_never_meet_in_a_statement(db: None, statements: Statements) -> None:
    """Not while they are mixed, nor when they become batches, are dropped or deleted.

    What is written goes by COPY, into rows of the version whose records were taken.
    """
    versions = [define(slug=slug, title=slug.title(), minimum_reports=5) for slug in SLUGS]
    with watched() as seen:
        for days, count in ((1, 6), (0, 3)):
            for version in versions:
                arrive(version, count, day=days_ago(days))
        arrive(versions[0], 1, locale="fr_FR", day=days_ago(9))
        assert devices.mix()
        for version in versions:
            assert uncounted_versions(version.use_case) == [version]
        seal_finished_days()
        for version in versions:
            aggregate(version)
            delete_all(version.use_case)
    assert sorted(Batch.objects.values_list("accepted", flat=True)) == [6, 6]
    assert DroppedReports.objects.get().reports == 1
    assert not DeviceRecord.objects.exists()
    assert not MixedRecords.objects.exists()
    assert [sql for found, sql in seen.seen if len(found) > 1] == []
    assert [sql for sql, params in statements if len(versions_named(sql, params)) != 1] == []
    # One each: mixed, taken for a batch, dropped, deleted.
    for verb in ("RETURNING day, locale, stream, record", "::date, locale, stream", "droppedreports", "DELETE"):
        of_verb = [versions_named(sql, params) for sql, params in statements if verb in sql]
        assert set.union(*of_verb) == {version.pk for version in versions}, verb


@pytest.mark.parametrize(
    "sql",
    [
        "WITH old AS (DELETE FROM reports_devicerecord RETURNING id) SELECT count(*) FROM old",
        "DELETE FROM reports_devicerecord WHERE version_id = ANY(%s)",
    ],
)
def test_the_search_finds_a_statement_that_writes_both(statements: Statements, sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, [[1, 2]] if "%s" in sql else [])
    ((found, params),) = statements
    assert versions_named(found, params) == set()


# --- Files ---


def test_the_search_finds_a_query_that_brings_two_together(two: list[Version]) -> None:
    with watched() as seen:
        list(Shard.objects.all())
    assert seen.seen[0][0] == {version.pk for version in two}


def test_a_run_opens_files_of_its_use_case_alone(two: list[Version], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    original = storage._read

    def noted(path: Path, of: storage.ByteRange, **how: bool) -> Any:
        opened.append(of.name)
        return original(path, of, **how)

    others = set(two[1].shards.values_list("file_name", flat=True))
    monkeypatch.setattr(storage, "_read", noted)
    aggregate(two[0])
    assert opened
    assert not others & set(opened)
