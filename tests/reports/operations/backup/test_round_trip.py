"""A back-up of a site that goes on meanwhile, restored elsewhere: the same pages, and it goes on there."""

import re
import shutil
import stat
import tarfile
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.db.models import Model
from django.db.models.expressions import RawSQL
from django.test import Client
from pytest_django import DjangoDbBlocker

from ldpsite import embedded
from reports.collection import seal_days
from reports.jobs import finish_inline
from reports.models import (
    ApiToken,
    Batch,
    Deletion,
    DeviceKey,
    DeviceRecord,
    KnownDay,
    MixedKeys,
    MixedRecords,
    PendingFile,
    QuarantinedShard,
    ReadOut,
    Shard,
    TrainingFile,
    UseCase,
    Version,
    WebSession,
)
from reports.operations.backup import back_up, programs, restore
from reports.operations.backup.manifest import Manifest
from reports.pending_files import sweep_files
from reports.retention import delete_all, delete_expired
from reports.runs import start_run
from tests.conftest import make_user
from tests.reports.factories import batch_of, named_files, stored_files
from tests.reports.operations.backup.sites import Installation, empty_installation, shared_site
from tests.reports.retention.helpers import days_later, quarantine, raw_files
from tests.reports.small_fleet import LOCALES, aggregate, days_ago, define, define_words, send, send_words
from tests.reports.suspicious import honest_lines, send_lines
from tests.reports.trained import trained

pytestmark = pytest.mark.exact
# One document of a device has the records 9, 2 and 5, and came before 7 and 1.
KEYS = [uuid.UUID(int=number << 120) for number in (9, 2, 5, 7, 1)]
DIGESTS = [bytes([number]) * 32 for number in (8, 3, 6)]


def quiet(_words: str) -> None:
    pass


def make_site() -> Version:
    """Something of everything: counted and open days, words, quarantine, devices, people, tokens, a deletion."""
    fruits, words = define(retention_days=10), define_words()
    make_user("alice", "keyboard-owners")
    for day in (9, 3):
        send(fruits, 150, day=days_ago(day), seed=day)
    send_words(words, 300, day=days_ago(2))
    for version in (fruits, words):
        aggregate(version)
    send(fruits, 120, locale="fr_FR", day=days_ago(1))
    seal_days(fruits, days_ago(1), days_ago(1))  # sealed and not counted
    send(fruits, 130, day=days_ago(0))
    for key in KEYS:
        DeviceRecord.objects.create(
            id=key, version=fruits, locale="fr_FR", stream="reports", day=days_ago(0), record=b"\0\\\n\t\xff"
        )
    for digest in DIGESTS:
        DeviceKey.objects.create(key_hmac=digest)
    MixedKeys.objects.create(day=days_ago(0), settled=False, first=b"12345678", digests=b"12345678")
    MixedRecords.objects.create(
        version=fruits, locale="fr_FR", stream="reports", day=days_ago(0), size=1, records=b"\0\n"
    )
    quarantine(days_ago(1), fruits=(fruits, 7))
    recognised = define(slug="recognised", parameters={"epsilon": 4, "k": 1024, "m": 1024, "seed": "0f" * 16})
    send_lines(recognised, honest_lines(recognised, 1000, seed=1), day=1)
    seal_days(recognised)
    send_lines(recognised, honest_lines(recognised, 1000, seed=2))
    gone = define(slug="gone")
    send(gone, 10, day=days_ago(2))
    delete_all(gone.use_case)
    trained()
    return fruits


COUNTED: tuple[type[Model], ...] = (
    User,
    UseCase,
    Shard,
    ReadOut,
    Deletion,
    DeviceRecord,
    MixedRecords,
    DeviceKey,
    MixedKeys,
    TrainingFile,
)
PAGES = (
    "/", "/use-cases/fruits/", "/use-cases/words/", "/use-cases/words/sort/", "/use-cases/fruits/histogram.csv",
    "/use-cases/fruits/histogram.json", "/use-cases/words/histogram.json?locale=en_US",
    "/training/films/recommended/",
)  # fmt: skip


def pages() -> dict[str, str]:
    client = Client()
    assert client.login(username="alice", password="password")
    # Twice, because the front page names the pages that were visited last.
    for _round in range(2):
        answers = {path: client.get(path) for path in PAGES}
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(PAGES, 200)
    return {path: re.sub(r'csrf\w+" value="\w+"', "", answer.getvalue().decode()) for path, answer in answers.items()}


@dataclass(frozen=True)
class Made:
    """A back-up, and what was to be seen before it."""

    archive: Path
    pages: dict[str, str]
    files: dict[str, bytes]
    rows: dict[type[Model], int]
    token: ApiToken


class Meanwhile:
    """Does something in another thread, on a connection of its own, at a moment of the back-up."""

    def __init__(self, deed: Callable[[], object]) -> None:
        self.deed = deed
        self.error: BaseException | None = None

    def __call__(self) -> None:
        thread = threading.Thread(target=self._work)
        thread.start()
        thread.join(timeout=60)
        assert not thread.is_alive()
        if self.error is not None:
            raise self.error

    def _work(self) -> None:
        try:
            self.deed()
        except BaseException as error:  # noqa: BLE001 - raised again above
            self.error = error
        finally:
            connection.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, test_database: None, django_db_blocker: DjangoDbBlocker) -> Made:
    """Back-up of a site that goes on meanwhile.

    Sealing, publishing and deleting drop rows and their files; those of the snapshot stay until it is archived.
    """
    folder = tmp_path_factory.mktemp("made")
    with shared_site(folder, django_db_blocker):
        fruits = make_site()
        token, _secret = ApiToken.create("collector", may_ingest=True)
        # The archive lies for weeks before it is restored.
        KnownDay.objects.update_or_create(pk=1, defaults={"day": days_ago(30)})
        rows = {model: model._default_manager.count() for model in COUNTED}
        found = Made(folder / "site.tar.gz", pages(), stored_files(), rows, token)
        assert WebSession.objects.exists()
        before, after = Meanwhile(lambda: count_more(fruits)), Meanwhile(lambda: delete_all(fruits.use_case))
        with mock.patch.object(programs, "run", between(before, after)):
            call_command("back_up", str(found.archive))
        # Reports due for deletion meanwhile are deleted by the next sweep.
        assert not fruits.shards.exists()
        assert len(raw_files()) > Shard.objects.count()
        assert sweep_files() > 0
        assert set(stored_files()) == named_files()
        assert not PendingFile.objects.exists()
    return found


def count_more(version: Version) -> None:
    send(version, 140, day=days_ago(0), seed=9)
    assert finish_inline(start_run(version, ring=False)).state == "finished"


def between(before: Callable[[], None], after: Callable[[], None]) -> Callable[..., int]:
    """Between the snapshot and the dump, and between the dump and what is archived after it."""
    real = programs.run

    def run(name: Any, options: Any, **more: Any) -> int:
        whole = options[-1].name == "database.dump"
        if whole:
            before()
        version = real(name, options, **more)
        if whole:
            after()
        return version

    return run


def physical(model: type[Model]) -> list[Any]:
    """Keys in the order in which their rows lie in the table."""
    return list(model._default_manager.order_by(RawSQL("ctid", ())).values_list("pk", flat=True))


def test_the_same_pages_and_it_goes_on(made: Made, tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> None:
    with django_db_blocker.unblock(), empty_installation(tmp_path / "elsewhere") as site, site.visited():
        call_command("restore", str(made.archive))
        assert not WebSession.objects.exists()
        assert pages() == made.pages
        assert stored_files() == made.files
        assert named_files() == set(made.files)
        assert {model: model._default_manager.count() for model in COUNTED} == made.rows
        assert ApiToken.objects.get() == made.token
        assert PendingFile.objects.count() == 0
        assert KnownDay.objects.get().day == days_ago(0), "what expired meanwhile is deleted at once"
        # Nothing tells which records came in one document.
        assert physical(DeviceRecord) == sorted(KEYS)
        assert [bytes(digest) for digest in physical(DeviceKey)] == sorted(DIGESTS)
        assert {bytes(record.record) for record in DeviceRecord.objects.all()} == {b"\0\\\n\t\xff"}
        DeviceRecord.objects.all().delete()  # which no device sends
        MixedRecords.objects.all().delete()
        # Reports sent before, sealed or not, are recognised there, and so is half of them among others.
        known = Version.objects.get(use_case__slug="recognised")
        lines = [honest_lines(known, 1000, seed=seed) for seed in (1, 2, 3)]
        assert [send_lines(known, again).duplicate for again in lines[:2]] == [True, True]
        assert batch_of(send_lines(known, lines[0][:500] + lines[2][:500])).state == Batch.State.QUARANTINED
        # Open and uncounted reports are counted there.
        fruits = Version.objects.get(use_case__slug="fruits")
        aggregate(fruits)
        read = ReadOut.objects.filter(version=fruits)
        sizes = {locale: sum(read.filter(locale=locale).values_list("n", flat=True)) for locale in LOCALES}
        assert sizes == {"en_US": 150 + 150 + 130, "fr_FR": 120}
        with days_later(5):
            assert len(delete_expired()) == 1
            assert len(raw_files()) == Shard.objects.count() + QuarantinedShard.objects.count()


def test_the_archive_is_its_owners_and_tells_no_times_nor_which_rows_came_together(made: Made) -> None:
    assert stat.S_IMODE(made.archive.stat().st_mode) == 0o600
    assert [path.name for path in made.archive.parent.glob("*site*")] == [made.archive.name]
    assert made.archive.read_bytes()[8] == 4  # RFC 1952, 2.3.1: by the fastest algorithm
    with tarfile.open(made.archive) as archive:
        members = archive.getmembers()
        found = {name: archive.extractfile(name).read() for name in archive.getnames()}  # type: ignore[union-attr]
    files = [f"files/{name}" for name in sorted(made.files)]
    before = ["database.dump", "waiting.dump", "device-records.copy", "device-keys.copy", "secret-key"]
    assert [member.name for member in members] == [*before, *files, "manifest.json"]
    assert {member.mtime % 86400 for member in members} == {0}
    assert {(member.mode, member.uid, member.uname) for member in members} == {(0o600, 0, "")}
    records = [line.split(b"\t")[0].decode() for line in found["device-records.copy"].splitlines()]
    assert records == [str(key) for key in sorted(KEYS)]
    keys = [line.split(b"\t")[0].decode() for line in found["device-keys.copy"].splitlines()]
    assert keys == [rf"\\x{digest.hex()}" for digest in sorted(DIGESTS)]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that the account of an embedded server can enter, unlike tmp_path."""
    path = Path(tempfile.mkdtemp(prefix="ldpsite-restored-")).resolve()
    path.chmod(0o711)
    yield path / "var"
    embedded.remove(path / "var")
    shutil.rmtree(path)


def test_into_the_embedded_database_and_from_there_again(made: Made, open_folder: Path, tmp_path: Path) -> None:
    site = Installation(open_folder, "", "")
    # Held here, where the machine's crash is no danger: both commands find it running.
    with embedded.database(open_folder, durable=False):
        done = site.command("restore", made.archive)
        assert (done.returncode, done.stdout) == (0, f"{made.archive}: restored\n"), done.stderr
        again = site.command("back_up", tmp_path / "again.tar")
    assert "Restoring the database" in done.stderr
    key = site.data_dir / "secret-key"
    assert (key.read_text(), stat.S_IMODE(key.stat().st_mode)) == (settings.SECRET_KEY, 0o600)
    assert again.returncode == 0, again.stderr
    hashes = [checksums(path) for path in (made.archive, tmp_path / "again.tar")]
    for found in hashes:  # dumps say when they were made
        del found["database.dump"], found["waiting.dump"]
    assert hashes[0] == hashes[1]


def checksums(path: Path) -> dict[str, str]:
    with tarfile.open(path) as archive:
        return Manifest.decoded(archive.extractfile("manifest.json").read()).sha256  # type: ignore[union-attr]


@pytest.mark.django_db(transaction=True)
def test_a_back_up_of_a_site_in_full_swing_names_no_file_that_is_missing(tmp_path: Path) -> None:
    """Uploads, sealing and runs in other threads all the while: every file that a row names is there, whole."""
    fruits = define()
    send(fruits, 130, day=days_ago(0))
    over = threading.Event()
    sent: list[int] = []

    def upload() -> None:
        while not over.is_set():
            send(fruits, 20, day=days_ago(0), seed=len(sent))
            sent.append(20)

    def count() -> None:
        while not over.is_set():
            finish_inline(start_run(fruits, ring=False))

    others = [Meanwhile(upload), Meanwhile(count)]
    threads = [threading.Thread(target=other._work) for other in others]
    for thread in threads:
        thread.start()
    archive, said = tmp_path / "site.tar", list[str]()
    try:
        back_up(archive, said.append)
    finally:
        over.set()
        for thread in threads:
            thread.join(timeout=60)
    assert [other.error for other in others] == [None, None]
    assert said[0] == "Dumping the database …"
    assert re.fullmatch(r"Copying \d+ files …", said[1])
    assert re.fullmatch(r"100 %: [\d.]+ of [\d.]+ MB", said[-1])
    with empty_installation(tmp_path / "elsewhere") as site:
        with site.visited():
            restore(archive, quiet)
            assert named_files() == set(stored_files())
            today = Shard.objects.filter(version=fruits, day=days_ago(0), locale="en_US")
            there = sum(today.values_list("size", flat=True))
            assert (there - 130) % 20 == 0
            assert 130 <= there <= 130 + sum(sent)
            aggregate(fruits)
            read = ReadOut.objects.filter(version=fruits, locale="en_US", day=days_ago(0))
            assert sum(read.values_list("n", flat=True)) == there
