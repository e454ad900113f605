"""Fixtures for all tests: people, folders, brokers, workers."""

import gc
import itertools
import os
import uuid
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import NoReturn

import kombu
import pytest
from _pytest.runner import runtestprotocol
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.storage import storages
from django.db import connection
from django.test import Client
from django.utils import timezone, translation
from pytest_django import DjangoDbBlocker, Settings

from ldpsite import broker
from ldpsite.celery import app
from reports.collection.devices.definitions_in_force import read_definitions
from reports.models.uploads import utc_today
from reports.results import dictionary_texts, groupings
from tests.reports.buckets import Bucket
from tests.s3 import S3Server
from tests.tables import template
from tests.web_server import WebServer
from tests.workers import Workers
from tests.worlds import FIXED_KEYS, make_group

# Playwright's synchronous interface runs an event loop, in which Django refuses to touch the database otherwise.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are cores: a third of its time a test waits for a browser, a worker or a clock."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + cores // 2


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where CI=true, nothing may be skipped for want of a program or a server: a green run would hide it."""
    report = yield
    real = report.skipped and any(item.get_closest_marker(name) for name in ("browser", "gettext", "server"))
    if real and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let no module ask for the day when it is imported: midnight may pass before its tests run.

    What is collected stays to the end: looking for garbage among it would take half of the time, and some of each test.
    """

    def refuse() -> NoReturn:
        raise RuntimeError("Tests ask for the day when they run, not when they are collected.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", refuse)
        gc.disable()
        try:
            return (yield)
        finally:
            gc.enable()
            gc.freeze()
            # By default it is looked for each time that 700 objects more are there, which is once in a millisecond.
            gc.set_threshold(50_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run a test once more if it failed while midnight (UTC) passed: what it had set up was of the day before."""
    place = {"nodeid": item.nodeid, "location": item.location}
    item.ihook.pytest_runtest_logstart(**place)
    day = utc_today()
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if utc_today() != day and any(report.failed for report in reports):
        item._initrequest()  # type: ignore[attr-defined]
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(**place)
    return True


# Files with SQL of their own, with COPY, locks or dumps, as far as no test of them commits.
OWN_SQL = (
    "ldpsite/test_queue_schema.py",
    "reports/web/api/test_device_reports.py",
    "reports/operations/backup",
    "reports/definitions/test_apply.py",
    "reports/demo/test_coming.py",
    "reports/collection/test_closing.py",
    "reports/collection/devices/test_device_days.py",
    "reports/collection/devices/test_device_durability.py",
    "reports/collection/devices/test_device_mixing.py",
    "reports/collection/ingest/test_idempotency_keys.py",
    "reports/web/pages/histogram/test_histogram_search.py",
    "reports/results/test_dictionary_texts.py",
    "reports/results/test_latest.py",
    "reports/results/trend",
    "reports/retention",
    "reports/runs",
    "reports/accounts/test_logins.py",
    "reports/words",
)


# Markers of what waits for other programs, or draws many reports.
LONG = ("site", "server", "browser", "statistical")

# Fixtures of tests that commit because another process reads, whatever database it is.
OTHER_PROCESSES = frozenset({"live_server", "web_server", "workers"})


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what has to pass on every PostgreSQL by itself, and begin with what takes long.

    Who writes a test that commits need not think of it. Of several processes of pytest-xdist none is left alone at the
    end with a test of a minute.
    """
    folders = {Path(__file__).parent / path for path in OWN_SQL}
    assert all(folder.exists() for folder in folders), "OWN_SQL names a test that is gone"
    own_sql: dict[Path, bool] = {}
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        marker = item.get_closest_marker("django_db")
        commits = "transactional_db" in fixtures or (marker is not None and marker.kwargs.get("transaction"))
        asks = "db" in fixtures or marker is not None
        if item.path not in own_sql:
            own_sql[item.path] = not folders.isdisjoint((item.path, *item.path.parents))
        own = own_sql[item.path] and asks and "workers" not in fixtures
        if own or (commits and OTHER_PROCESSES.isdisjoint(fixtures)):
            item.add_marker("database")
    items.sort(key=lambda item: not any(item.get_closest_marker(name) for name in LONG))


# --- People: alice owns, bob may look, charlie has no access. ---


def make_user(name: str, *groups: str) -> User:
    key = {"pk": FIXED_KEYS[name]} if name in FIXED_KEYS else {}
    user = User.objects.create_user(name, email=f"{name}@example.org", password="password", **key)
    user.groups.set([make_group(group) for group in groups])
    return user


@pytest.fixture
def alice(db: None) -> User:
    """Edits the use cases of the keyboard."""
    return make_user("alice", "keyboard-owners")


@pytest.fixture
def bob(db: None) -> User:
    """Sees the use cases of the keyboard."""
    return make_user("bob", "keyboard")


@pytest.fixture
def charlie(db: None) -> User:
    """Signs in, and that is all."""
    return make_user("charlie")


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def as_alice(alice: User) -> Client:
    return logged_in(alice)


@pytest.fixture
def as_bob(bob: User) -> Client:
    return logged_in(bob)


@pytest.fixture
def as_root(db: None) -> Client:
    return logged_in(User.objects.create_superuser("root"))


# --- Files ---

_NUMBERS = itertools.count()


@pytest.fixture(autouse=True)
def isolated_files(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> None:
    """Give each test its own shards and spool. They are made by what writes there, which few tests do."""
    folder = tmp_path_factory.getbasetemp() / f"files-{next(_NUMBERS)}"
    shards = django_settings.STORAGES["shards"] | {"OPTIONS": {"location": folder / "shards"}}
    settings.STORAGES = django_settings.STORAGES | {"shards": shards}
    settings.LDPSITE_SPOOL_DIR = folder / "spool"


@pytest.fixture
def bucket(settings: Settings) -> Bucket:
    """Give the test a storage of shards without paths, in memory."""
    settings.STORAGES = django_settings.STORAGES | {"shards": {"BACKEND": "tests.reports.buckets.Bucket"}}
    found = storages["shards"]
    assert isinstance(found, Bucket)
    return found


@pytest.fixture
def s3(settings: Settings) -> Iterator[S3Server]:
    """Keep the test's shards in a bucket of a server that speaks S3."""
    server = S3Server()
    try:
        settings.STORAGES = django_settings.STORAGES | {"shards": server.storage}
        server.make_bucket()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session", autouse=True)
def _no_power_cuts() -> Iterator[None]:
    """No test survives one: files are not forced to disk, which takes as long as everything else about small ones.

    Tests of what is forced, and when, look at the calls.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _descriptor: None)
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: DjangoDbBlocker
) -> None:
    """Have the test database copied from one with the tables, instead of migrating it in each process."""
    with django_db_blocker.unblock():
        connection.settings_dict["TEST"]["TEMPLATE"] = template()


@pytest.fixture(scope="session")
def test_database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for tests that open it themselves: pytest-django makes it only if another asks for `db`."""
    if connection.settings_dict["NAME"].startswith("test_"):
        yield
        return
    before = connection.settings_dict["NAME"]
    with django_db_blocker.unblock():
        connection.creation.create_test_db(verbosity=0)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(before, verbosity=0)


# --- Brokers ---


def connect_celery(url: str, options: dict[str, object], queue: str) -> None:
    app.conf.update(broker_url=url, broker_transport_options=options, task_default_queue=queue)
    # Open connections go to the broker before.
    kombu.pools.reset()
    for owner, name in ((app, "_pool"), (app.amqp, "_producer_pool")):
        setattr(owner, name, None)
    vars(app.amqp).pop("queues", None)


@pytest.fixture(scope="session", autouse=True)
def _broker_in_memory() -> None:
    """Let tasks that are sent go nowhere; a test that wants them done calls them, or uses `workers`."""
    connect_celery("memory://localhost/", {}, "ldpsite")


@pytest.fixture
def web_server(transactional_db: None, tmp_path: Path) -> Iterator[WebServer]:
    server = WebServer(tmp_path)
    yield server
    if server.process.poll() is None:
        server.kill()


@pytest.fixture
def workers(transactional_db: None, tmp_path: Path) -> Iterator[Workers]:
    """Start real workers: `workers.start()`. They share database, folders and a queue of its own with the test."""
    queue = f"ldpsite-{uuid.uuid4().hex[:12]}"
    url = django_settings.CELERY_BROKER_URL
    # The settings name the database that the test database was made beside.
    connect_celery(url, broker.transport_options(url, connection.settings_dict), queue)
    workers = Workers(queue, tmp_path)
    try:
        require_broker()
        yield workers
        workers.stop()
        with app.connection_for_write() as connected:
            kombu.Queue(queue)(connected.default_channel).delete()
    finally:
        workers.stop()
        connect_celery("memory://localhost/", {}, "ldpsite")


def require_broker() -> None:
    try:
        with app.connection_for_write() as tried:
            tried.ensure_connection(max_retries=1, timeout=5)
    except kombu.exceptions.OperationalError as error:
        pytest.skip(f"no broker: {error}")


@pytest.fixture(autouse=True)
def _as_in_a_new_process() -> Iterator[None]:
    """Forget what stays with threads and processes, which other tests may have had in a world of their own."""
    read_definitions.cache_clear()
    cache.clear()
    # Caches of dictionaries, which never change but in tests, and of which worlds that are built once have the same
    # keys.
    for remembered in (groupings._names, groupings._load, dictionary_texts._load):
        remembered.cache_clear()
    yield
    # The language that a page was last asked for in.
    translation.deactivate()
