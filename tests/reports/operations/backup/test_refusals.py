"""Refusals: no back-up, or no empty place for it; said in plain words, and nothing is changed."""

import gzip
import hashlib
import io
import json
import shutil
import stat
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from reports.models import Shard, UseCase
from reports.operations.backup import BackupError, back_up, programs, restore, waiting_rows
from reports.operations.backup.manifest import Manifest
from reports.operations.backup.writing import Progress, _new_file
from tests.reports.buckets import BucketError
from tests.reports.factories import stored_files
from tests.reports.operations.backup.sites import Installation, empty_installation, shared_site
from tests.reports.small_fleet import days_ago, define, send

pytestmark = pytest.mark.exact

Members = list[tuple[str, bytes]]


def quiet(_words: str) -> None:
    pass


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, test_database: None, django_db_blocker: DjangoDbBlocker) -> Path:
    """The archive of a site with one shard, which no test changes."""
    folder = tmp_path_factory.mktemp("made")
    with shared_site(folder, django_db_blocker):
        send(define(), 10, day=days_ago(1))
        back_up(folder / "site.tar", quiet)
    return folder / "site.tar"


@pytest.fixture
def archive(made: Path, tmp_path: Path) -> Path:
    """A copy to be harmed."""
    return Path(shutil.copy(made, tmp_path / "site.tar"))


@pytest.fixture(scope="module")
def empty(
    tmp_path_factory: pytest.TempPathFactory, test_database: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Installation]:
    """One for all tests, which leave it empty."""
    with django_db_blocker.unblock(), empty_installation(tmp_path_factory.mktemp("empty") / "var") as found:
        yield found


@pytest.fixture
def site(tmp_path: Path, test_database: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Installation]:
    """An empty one that is filled by its test."""
    with django_db_blocker.unblock(), empty_installation(tmp_path / "elsewhere") as found:
        yield found


def members_of(path: Path) -> Members:
    with tarfile.open(path) as archive:
        return [(member.name, archive.extractfile(member).read()) for member in archive]  # type: ignore[union-attr]


def write(path: Path, members: Members) -> None:
    with tarfile.open(path, "w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def sealed(members: Members, **changes: object) -> Members:
    """The members with a manifest that fits them."""
    manifest = json.loads(members[-1][1])
    rest = members[:-1]
    manifest["sha256"] = {name: hashlib.sha256(content).hexdigest() for name, content in rest}
    return [*rest, ("manifest.json", json.dumps(manifest | changes).encode())]


def assert_refused(site: Installation, path: Path, words: str) -> None:
    assert_undone(site, path, BackupError, words)


def assert_undone(site: Installation, path: Path, error: type[BaseException], words: str | None = None) -> None:
    """The installation is as empty as before."""
    with site.visited(), pytest.raises(error, match=words):
        restore(path, quiet)
    with site.visited():
        assert connection.introspection.table_names() == []
        assert not stored_files()
    assert not (site.data_dir / "secret-key").exists()


def tampered(change: Callable[[Members], Members]) -> Callable[[Path], None]:
    return lambda path: write(path, change(members_of(path)))


def flip(path: Path) -> None:
    """One bit of a stored file."""
    content = bytearray(path.read_bytes())
    with tarfile.open(path) as archive:
        (member,) = [each for each in archive if each.name.startswith("files/")]
    content[member.offset_data + 200] ^= 1
    path.write_bytes(content)


def named(name: str, **changes: object) -> Callable[[Path], None]:
    """Add a member that the manifest knows."""
    return tampered(lambda members: sealed([*members[:-1], (name, b"x"), members[-1]], **changes))


def without(name: str) -> Callable[[Path], None]:
    """Leave out a member that the manifest does not know either."""
    return tampered(lambda members: sealed([member for member in members if member[0] != name]))


def link(path: Path) -> None:
    with tarfile.open(path, "a") as archive:
        member = tarfile.TarInfo("files/shards/aa/" + "a" * 32 + ".npy")
        member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(member)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda path: path.write_bytes(b"no archive"), "is no archive, or a broken one"),
        (lambda path: path.write_bytes(b""), "is no archive|is no back-up"),
        (lambda path: path.unlink(), "cannot be read: No such file"),
        (lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]), "broken|cut off"),
        (tampered(lambda members: members[:-1]), "its manifest is missing"),
        (tampered(lambda members: [*members, ("later", b"")]), "after its end"),
        (tampered(lambda members: [members[0], *members]), "or twice"),
        (tampered(lambda members: members[1:]), "database.dump is not what was written"),
        (tampered(lambda members: sealed(members[1:])), "database.dump is not what was written"),
        (without("waiting.dump"), "waiting.dump is not what was written"),
        (without("device-records.copy"), "device-records.copy is not what was written"),
        (flip, "The back-up is damaged: files/shards/"),
        (tampered(lambda members: [*members[:-1], ("manifest.json", b"{}")]), "manifest .* cannot be read"),
        (tampered(lambda members: sealed(members, format=2)), "has format 2; this release reads 1"),
        (tampered(lambda members: sealed(members, migrations=["reports.9999_later"])), "newer release.*9999_later"),
        (tampered(lambda members: sealed(members, migrations=["reports.0001_initial"])), "The back-up is from before"),
        (tampered(lambda members: sealed(members, migrations=["reports.0003_other"])), "before migration 0001_release"),
        (tampered(lambda members: sealed(members, postgresql=999)), "is of PostgreSQL 999"),
        (tampered(lambda members: sealed(members, pg_dump=999)), "pg_restore of PostgreSQL 999 or newer is needed"),
        (named("../evil"), "in no back-up"),
        (named("/etc/evil"), "in no back-up"),
        (named("files/../evil.npy"), "in no back-up"),
        (named("files/shards/../../../evil.npy"), "in no back-up"),
        (named(f"files//shards/aa/{'a' * 32}.npy"), "in no back-up"),
        (named(f"files/shards/aa/{'a' * 32}.npy\n"), "in no back-up"),
        (link, "after its end|no file"),
    ],
)
def test_what_is_no_whole_back_up_is_refused(
    harm: Callable[[Path], None], words: str, archive: Path, empty: Installation
) -> None:
    harm(archive)
    assert_refused(empty, archive, words)


def test_a_compressed_one_that_is_cut_off_is_refused(made: Path, empty: Installation, tmp_path: Path) -> None:
    whole = tmp_path / "site.tar.gz"
    whole.write_bytes(gzip.compress(made.read_bytes())[:-2000])
    assert_refused(empty, whole, "broken|cut off")


@pytest.mark.django_db
def test_only_into_an_empty_database(made: Path) -> None:
    define()
    with pytest.raises(BackupError, match="The database is not empty"):
        restore(made, quiet)
    assert stored_files() == {}
    assert UseCase.objects.count() == 1


@pytest.mark.parametrize("kind", ["shards", "parts", "read-outs", "totals", "training"])
def test_only_into_an_empty_storage(made: Path, empty: Installation, kind: str) -> None:
    other = empty.data_dir / "shards" / kind / "aa" / "other.npy"
    # The folder may be there: what an earlier attempt stored and took back leaves its own.
    other.parent.mkdir(parents=True, exist_ok=True)
    other.touch()
    with empty.visited(), pytest.raises(BackupError, match="The storage for shards is not empty"):
        restore(made, quiet)
    other.unlink()  # an error if it is gone


@pytest.mark.parametrize("step", ["listdir", "save"])
def test_a_storage_that_cannot_be_used_is_said_in_a_sentence(step: str, made: Path, empty: Installation) -> None:
    """A bucket that is not there, for instance."""
    failing = mock.patch.object(FileSystemStorage, step, side_effect=BucketError)
    words = r"^The storage for shards cannot be used: ServiceUnavailable\. Make it, or correct LDPSITE_SHARD_STORAGE"
    with empty.visited(), failing, pytest.raises(CommandError, match=words):
        call_command("restore", str(made), stderr=io.StringIO())
    with empty.visited():
        assert connection.introspection.table_names() == []
        assert not stored_files()


def test_another_secret_key_is_not_thrown_away(made: Path, site: Installation) -> None:
    with override_settings(SECRET_KEY="another" * 10):
        assert_refused(site, made, "another key than that of the back-up")
    with site.visited():
        restore(made, quiet)
    assert not (site.data_dir / "secret-key").exists()


def test_the_key_of_this_machine_is_back_if_it_fails(made: Path, site: Installation) -> None:
    ours, key = "made here" * 10, site.data_dir / "secret-key"
    site.data_dir.mkdir()
    key.write_text(ours)
    kept = settings.SECRET_KEY
    seen = []

    def interrupted(*_rest: Any, **_more: Any) -> int:
        seen.append(key.read_text())
        raise KeyboardInterrupt

    with override_settings(SECRET_KEY=ours), site.visited():
        with mock.patch.object(waiting_rows, "restored"), mock.patch.object(programs, "run", interrupted):
            with pytest.raises(KeyboardInterrupt):
                restore(made, quiet)
        assert (seen, key.read_text()) == ([kept], ours)
        restore(made, quiet)
    assert (key.read_text(), stat.S_IMODE(key.stat().st_mode)) == (kept, 0o600)


def broken_dump(members: Members) -> Members:
    """It ends in the middle, and the manifest says that it is so."""
    dump = members[0][1]
    return sealed([("database.dump", dump[: len(dump) // 2]), *members[1:]])


def broken_rows(members: Members) -> Members:
    return sealed([(name, b"no row\n" if name == "device-keys.copy" else content) for name, content in members])


def test_what_fails_on_the_way_is_undone(archive: Path, site: Installation) -> None:
    members = members_of(archive)
    write(archive, broken_dump(members))
    assert_refused(site, archive, "pg_restore failed: .*error")
    write(archive, broken_rows(members))
    assert_refused(site, archive, "device-keys.copy of the back-up does not fit the table")
    write(archive, members)
    for failing in ("waiting.dump", "database.dump"):
        with mock.patch.object(programs, "run", interrupted_at(failing)):
            assert_undone(site, archive, KeyboardInterrupt)
    # Nothing is in the way of the next attempt.
    with site.visited():
        restore(archive, quiet)
        name = Shard.objects.get().file_name
        assert name in stored_files()
        storages["shards"].delete(name)
        with pytest.raises(BackupError, match=f"The file {name}, which a row names, is not in the storage"):
            back_up(archive.with_name("new.tar"), quiet)


def interrupted_at(dump: str) -> Callable[..., int]:
    real = programs.run

    def run(name: Any, options: Any, **more: Any) -> int:
        if options[-1].name == dump:
            raise KeyboardInterrupt
        return real(name, options, **more)

    return run


def test_tables_of_an_earlier_release_are_brought_forward(made: Path, site: Installation, tmp_path: Path) -> None:
    """As if the newest migration of the admin had come after the back-up."""
    newest = ("admin", "0003_logentry_add_action_flag_choices")
    with site.visited():
        restore(made, quiet)
        call_command("migrate", "admin", "0002", verbosity=0)
        back_up(tmp_path / "earlier.tar", quiet)
    archives = (tmp_path / "earlier.tar", made)
    migrations = [set(Manifest.decoded(members_of(path)[-1][1]).migrations) for path in archives]
    assert migrations[1] - migrations[0] == {".".join(newest)}
    with empty_installation(tmp_path / "new") as new, new.visited():
        restore(tmp_path / "earlier.tar", quiet)
        assert newest in MigrationRecorder(connection).applied_migrations()


# --- Writing ---


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("site.zip", "must end in one of"),
        (".tar", "must end in one of"),
        ("gone/site.tar", "cannot be written: No such"),
    ],
)
def test_a_back_up_needs_a_good_name(name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("back_up", str(tmp_path / name))
    assert list(tmp_path.glob("*.tar*")) == []


def test_an_older_back_up_is_not_overwritten(archive: Path) -> None:
    before = archive.read_bytes()
    with pytest.raises(CommandError, match=r"exists\. Choose another name"):
        call_command("back_up", str(archive))
    assert archive.read_bytes() == before


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_comes_meanwhile_is_not_overwritten(
    tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File systems may know links or not."""
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", mock.Mock(side_effect=PermissionError))
    path = tmp_path / "site.tar"

    def write(meanwhile: Callable[[], object]) -> None:
        with _new_file(path) as file:
            file.write(b"later")
            meanwhile()

    with pytest.raises(BackupError, match=r"exists\. Choose another name"):
        write(lambda: path.write_bytes(b"first"))
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"site.tar": b"first"}
    path.unlink()
    write(lambda: None)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"site.tar": b"later"}


def test_progress_is_said_ten_times() -> None:
    said: list[str] = []
    progress = Progress(2_000_000_000, said.append)
    for _ in range(1000):
        progress.add(2_000_000)
    assert said[:2] == ["10 %: 200.0 of 2,000.0 MB", "20 %: 400.0 of 2,000.0 MB"]
    assert len(said) == 10
    progress = Progress(1_000_000, said.append)
    for size in (1000, 899_000, 100_000):  # one large file among small ones
        progress.add(size)
    assert said[10:] == ["90 %: 0.9 of 1.0 MB", "100 %: 1.0 of 1.0 MB"]
    progress.add(400_000)  # the manifest
    assert len(said) == 12


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BackupError("full")])
def test_what_could_not_be_completed_leaves_nothing(error: BaseException, empty: Installation, tmp_path: Path) -> None:
    failing = mock.patch.object(programs, "run", side_effect=error)
    with empty.visited(), failing, pytest.raises(type(error)):
        back_up(tmp_path / "site.tar", quiet)
    files = [path for folder in (tmp_path, empty.data_dir) for path in folder.rglob("*") if path.is_file()]
    assert files == []


def test_without_fitting_programs_it_says_what_to_install(empty: Installation, tmp_path: Path) -> None:
    with (
        empty.visited(),
        mock.patch.object(programs, "_candidates", return_value=iter([Path("/usr/bin/pg_dump")])),
        mock.patch.object(programs, "_major_version", return_value=9),
        pytest.raises(CommandError, match=r"A pg_dump of PostgreSQL \d+ or newer is needed; .*pg_dump \(9\)"),
    ):
        call_command("back_up", str(tmp_path / "site.tar"))


def test_of_several_programs_the_oldest_that_fits_is_taken() -> None:
    versions = {Path("/a"): 13, Path("/b"): 18, Path("/c"): 16, Path("/d"): 16}
    with (
        mock.patch.object(programs, "_candidates", side_effect=lambda _name: iter(versions)),
        mock.patch.object(programs, "_major_version", side_effect=versions.get),
    ):
        assert programs._fitting("pg_dump", 15) == (16, Path("/c"))
        assert programs._fitting("pg_dump", 17) == (18, Path("/b"))
