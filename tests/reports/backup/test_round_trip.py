"""A back-up of a site that goes on meanwhile, restored elsewhere: the same pages, and it goes on there."""

import json
import re
import shutil
import stat
import tarfile
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.test import Client

from ldpsite import embedded
from reports.backup import back_up, programs
from reports.ingest import seal_days
from reports.models import (
    ApiToken,
    Deletion,
    DeviceRecord,
    Part,
    PendingFile,
    QuarantinedShard,
    ReadOut,
    Shard,
    UseCase,
    Version,
)
from reports.retention import delete_all, delete_expired
from reports.runs import finish_inline, start_run
from reports.storage import sweep_files
from tests.conftest import make_user
from tests.reports.backup.sites import Installation, empty_installation
from tests.reports.factories import stored_files
from tests.reports.retention.helpers import days_later, quarantine, raw_files, wait_from_device
from tests.reports.small_fleet import aggregate, days_ago, define, define_words, send, send_words

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


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
    wait_from_device(fruits, 3, days_ago(0), "fr_FR")  # too few yet
    quarantine(days_ago(1), fruits=(fruits, 7))
    gone = define(slug="gone")
    send(gone, 10, day=days_ago(2))
    delete_all(gone.use_case)
    return fruits


PAGES = (
    "/", "/use-cases/fruits/", "/use-cases/words/", "/use-cases/words/sort/", "/use-cases/fruits/histogram.csv",
    "/use-cases/fruits/histogram.json", "/use-cases/words/histogram.json?locale=en_US",
)  # fmt: skip


def pages() -> dict[str, str]:
    client = Client()
    assert client.login(username="alice", password="password")
    answers = {path: client.get(path) for path in PAGES}
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(PAGES, 200)
    return {path: re.sub(r'csrf\w+" value="\w+"', "", answer.getvalue().decode()) for path, answer in answers.items()}


def named() -> set[str]:
    """The files that rows name."""
    models = (Shard, QuarantinedShard, ReadOut, Part)
    return {name for model in models for name in model._default_manager.values_list("file_name", flat=True) if name}


def assert_restored(site: Installation, archive: Path) -> None:
    done = site.command("restore", archive)
    assert (done.returncode, done.stdout) == (0, f"{archive}: restored\n"), done.stderr
    assert "Restoring the database" in done.stderr


def test_the_same_pages_and_it_goes_on(tmp_path: Path) -> None:
    make_site()
    token, _secret = ApiToken.create("collector", may_ingest=True)
    before, files = pages(), stored_files()
    rows = {model: model.objects.count() for model in (User, UseCase, Shard, ReadOut, Deletion, DeviceRecord)}
    assert Session.objects.exists()
    call_command("back_up", str(tmp_path / "site.tar.gz"))
    with empty_installation(tmp_path / "elsewhere") as site:
        assert_restored(site, tmp_path / "site.tar.gz")
        key = site.data_dir / "secret-key"
        assert (key.read_text(), stat.S_IMODE(key.stat().st_mode)) == (settings.SECRET_KEY, 0o600)
        with site.visited():
            assert not Session.objects.exists()
            assert pages() == before
            assert stored_files() == files
            assert named() == set(files)
            assert {model: model.objects.count() for model in rows} == rows
            assert ApiToken.objects.get() == token
            assert PendingFile.objects.count() == 0
        # What was open and uncounted is counted there.
        assert json.loads(site.command("aggregate", "fruits", "--inline").stdout)["state"] == "finished"
        counted = json.loads(site.command("export", "fruits", "--locale", "en_US").stdout)
        assert counted["n"] == 150 + 150 + 130
        assert json.loads(site.command("export", "fruits", "--locale", "fr_FR").stdout)["n"] == 120
        with site.visited(), days_later(5):
            assert len(delete_expired()) == 1
            assert len(raw_files()) == Shard.objects.count() + QuarantinedShard.objects.count()
    assert stored_files() == files


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Not tmp_path, which the account of an embedded server cannot enter."""
    path = Path(tempfile.mkdtemp(prefix="ldpsite-restored-")).resolve()
    path.chmod(0o711)
    yield path / "var"
    embedded.remove(path / "var")
    shutil.rmtree(path)


def test_into_the_embedded_database(open_folder: Path, tmp_path: Path) -> None:
    make_site()
    back_up(tmp_path / "site.tar", quiet)
    site = Installation(open_folder, "", "")
    assert_restored(site, tmp_path / "site.tar")
    assert json.loads(site.command("aggregate", "fruits", "--inline").stdout)["state"] == "finished"
    assert json.loads(site.command("export", "fruits", "--locale", "en_US").stdout)["n"] == 150 + 150 + 130
    # And from there again.
    again = site.command("back_up", tmp_path / "again.tgz")
    assert again.returncode == 0, again.stderr


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


@pytest.mark.parametrize("moment", ["before the dump", "after the dump"])
def test_what_happens_meanwhile_is_not_in_it_and_breaks_nothing(moment: str, tmp_path: Path) -> None:
    """Sealing, publishing and deleting drop rows and their files; those of the snapshot stay until it is archived."""
    fruits = make_site()
    before, files = pages(), stored_files()

    def go_on() -> None:
        send(fruits, 140, day=days_ago(0), seed=9)
        assert finish_inline(start_run(fruits, ring=False).pk, lambda _progress: None).state == "finished"
        delete_all(fruits.use_case)

    real = programs.run

    def interrupted(name: Any, options: Any, **more: Any) -> int:
        if moment == "before the dump":
            Meanwhile(go_on)()
        version = real(name, options, **more)
        if moment == "after the dump":
            Meanwhile(go_on)()
        return version

    with mock.patch.object(programs, "run", interrupted):
        back_up(tmp_path / "site.tar", quiet)
    # What was to be deleted meanwhile is deleted by the next sweep.
    assert not fruits.shards.exists()
    assert len(raw_files()) > Shard.objects.count()
    assert sweep_files() > 0
    assert set(stored_files()) == named()
    assert not PendingFile.objects.exists()
    with empty_installation(tmp_path / "elsewhere") as site:
        assert_restored(site, tmp_path / "site.tar")
        with site.visited():
            assert pages() == before
            assert stored_files() == files
            assert named() == set(files)


def test_a_site_in_full_swing(tmp_path: Path) -> None:
    """Uploads, sealing and runs in other threads all the while: every file that a row names is there, whole."""
    fruits = make_site()
    over = threading.Event()
    sent: list[int] = []

    def upload() -> None:
        while not over.is_set():
            send(fruits, 20, day=days_ago(0), seed=len(sent))
            sent.append(20)

    def count() -> None:
        while not over.is_set():
            finish_inline(start_run(fruits, ring=False).pk, lambda _progress: None)

    others = [Meanwhile(upload), Meanwhile(count)]
    threads = [threading.Thread(target=other._work) for other in others]
    for thread in threads:
        thread.start()
    archives = [tmp_path / f"{number}.tar" for number in range(3)]
    try:
        for archive in archives:
            back_up(archive, quiet)
    finally:
        over.set()
        for thread in threads:
            thread.join(timeout=60)
    assert [other.error for other in others] == [None, None]
    with empty_installation(tmp_path / "elsewhere") as site:
        assert_restored(site, archives[-1])
        with site.visited():
            assert named() == set(stored_files())
            today = Shard.objects.filter(version=fruits, day=days_ago(0), locale="en_US")
            there = sum(today.values_list("size", flat=True))
            assert (there - 130) % 20 == 0
            assert 130 <= there <= 130 + sum(sent)
            aggregate(fruits)
            read = ReadOut.objects.filter(version=fruits, locale="en_US", day=days_ago(0))
            assert sum(read.values_list("n", flat=True)) == there


def test_nobody_else_can_read_it_and_it_says_nothing_of_times(tmp_path: Path) -> None:
    fruits = define()
    send(fruits, 10, day=days_ago(2))
    back_up(tmp_path / "site.tar", quiet)
    assert stat.S_IMODE((tmp_path / "site.tar").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*site*")] == ["site.tar"]
    with tarfile.open(tmp_path / "site.tar") as archive:
        members = archive.getmembers()
    assert [member.name for member in members] == [
        "database.dump", "secret-key", f"files/{Shard.objects.get().file_name}", "manifest.json",
    ]  # fmt: skip
    assert {member.mtime % 86400 for member in members} == {0}
    assert {(member.mode, member.uid, member.uname) for member in members} == {(0o600, 0, "")}
