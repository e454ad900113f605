"""What is no back-up, or has no empty place to go to, is refused in plain words, and nothing is changed."""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import pytest
from django.conf import settings
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from reports.backup import BackupError, back_up, programs, restore
from reports.backup.manifest import Manifest
from reports.models import Shard, UseCase
from tests.reports.backup.sites import Installation, empty_installation
from tests.reports.factories import stored_files
from tests.reports.small_fleet import days_ago, define, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]

Members = list[tuple[str, bytes]]


def quiet(_words: str) -> None:
    pass


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Of a site with one shard."""
    send(define(), 10, day=days_ago(1))
    back_up(tmp_path / "site.tar", quiet)
    return tmp_path / "site.tar"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Installation]:
    with empty_installation(tmp_path / "elsewhere") as found:
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
    """And the installation is as empty as before."""
    with site.visited(), pytest.raises(BackupError, match=words):
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
    """With one more member, which the manifest knows."""
    return tampered(lambda members: sealed([*members[:-1], (name, b"x"), members[-1]], **changes))


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
        (flip, "The back-up is damaged: files/shards/"),
        (tampered(lambda members: [*members[:-1], ("manifest.json", b"{}")]), "manifest .* cannot be read"),
        (tampered(lambda members: sealed(members, format=2)), "has format 2; this release reads 1"),
        (tampered(lambda members: sealed(members, migrations=["reports.9999_later"])), "newer release.*9999_later"),
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
    harm: Callable[[Path], None], words: str, archive: Path, site: Installation
) -> None:
    harm(archive)
    assert_refused(site, archive, words)


def test_a_compressed_one_that_is_cut_off_is_refused(archive: Path, site: Installation, tmp_path: Path) -> None:
    whole = tmp_path / "site.tar.gz"
    back_up(whole, quiet)
    whole.write_bytes(whole.read_bytes()[:-2000])
    assert_refused(site, whole, "broken|cut off")


def test_only_into_an_empty_database(archive: Path) -> None:
    before = stored_files()
    with pytest.raises(BackupError, match="The database is not empty"):
        restore(archive, quiet)
    assert stored_files() == before
    assert UseCase.objects.count() == 1


def test_only_into_an_empty_storage(archive: Path, site: Installation) -> None:
    other = site.data_dir / "shards" / "shards" / "aa" / "other.npy"
    other.parent.mkdir(parents=True)
    other.touch()
    with site.visited(), pytest.raises(BackupError, match="The storage for shards is not empty"):
        restore(archive, quiet)
    assert other.exists()


def test_another_secret_key_is_not_thrown_away(archive: Path, site: Installation) -> None:
    done = site.command("restore", archive, LDPSITE_SECRET_KEY="another" * 10)
    assert done.returncode == 1
    assert "another key than that of the back-up" in done.stderr
    assert "Traceback" not in done.stderr
    assert settings.SECRET_KEY not in done.stderr
    again = site.command("restore", archive, LDPSITE_SECRET_KEY=settings.SECRET_KEY)
    assert again.returncode == 0, again.stderr
    assert not (site.data_dir / "secret-key").exists()


@pytest.mark.parametrize("trouble", ["database", "storage"])
def test_what_fails_on_the_way_is_undone(trouble: str, archive: Path, site: Installation) -> None:
    members = members_of(archive)
    if trouble == "database":
        # A dump that ends in the middle, of which the manifest says that it is so.
        dump = members[0][1]
        write(archive, sealed([("database.dump", dump[: len(dump) // 2]), *members[1:]]))
        assert_refused(site, archive, "pg_restore failed: .*error")
    else:
        with mock.patch.object(programs, "run", side_effect=KeyboardInterrupt), site.visited():
            with pytest.raises(KeyboardInterrupt):
                restore(archive, quiet)
            assert not stored_files()
    # Nothing is in the way of the next attempt.
    write(archive, members)
    with site.visited():
        done = site.command("restore", archive)
        assert done.returncode == 0, done.stderr
        assert Shard.objects.get().file_name in stored_files()


def test_tables_of_an_earlier_release_are_brought_forward(archive: Path, site: Installation, tmp_path: Path) -> None:
    """As if the newest migration of the admin had come after the back-up."""
    newest = ("admin", "0003_logentry_add_action_flag_choices")
    with site.visited():
        call_command("migrate", verbosity=0)
        call_command("migrate", "admin", "0002", verbosity=0)
        back_up(tmp_path / "earlier.tar", quiet)
    archives = (tmp_path / "earlier.tar", archive)
    migrations = [set(Manifest.decoded(members_of(path)[-1][1]).migrations) for path in archives]
    assert migrations[1] - migrations[0] == {".".join(newest)}
    with empty_installation(tmp_path / "new") as new:
        done = new.command("restore", tmp_path / "earlier.tar")
        assert done.returncode == 0, done.stderr
        with new.visited():
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


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BackupError("full")])
def test_what_could_not_be_completed_leaves_nothing(error: BaseException, tmp_path: Path) -> None:
    with mock.patch.object(programs, "run", side_effect=error), pytest.raises(type(error)):
        back_up(tmp_path / "site.tar", quiet)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_missing_file_is_named(archive: Path, tmp_path: Path) -> None:
    name = Shard.objects.get().file_name
    storages["shards"].delete(name)
    with pytest.raises(BackupError, match=f"The file {name}, which a row names, is not in the storage"):
        back_up(tmp_path / "new.tar", quiet)


def test_without_fitting_programs_it_says_what_to_install(tmp_path: Path) -> None:
    with (
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
