"""Writing a back-up while the site runs: a snapshot of the database, then the files that its rows name.

A file is there before its row and is deleted after it; and none is deleted while a back-up is made. So all files of
the snapshot are there for as long as they are read.
"""

import datetime
import hashlib
import io
import os
import secrets
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.conf import settings
from django.core.files.storage import storages
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder

from reports.locks import Lock, advisory_lock
from reports.models import LeasedPart, PendingFile, PeriodTotal, QuarantinedShard
from reports.models.uploads import utc_today
from reports.operations.backup import programs, waiting_rows
from reports.operations.backup.manifest import DATABASE, FILES, MANIFEST, SECRET_KEY, BackupError, Manifest
from reports.storage import spool_folder

Say = Callable[[str], None]

# Progress is said so many times.
TIMES = 10
# Reports are mostly noise: the highest level takes ten times as long, for two hundredths of the size.
_COMPRESSED = {"mode": "w:gz", "compresslevel": 1}
SUFFIXES: dict[str, dict[str, Any]] = {".tar": {"mode": "w"}, ".tar.gz": _COMPRESSED, ".tgz": _COMPRESSED}
# Where a file's day is found, for models that do not have it themselves. Results of parts are of today.
_DAYS = {QuarantinedShard: "batch__day", PeriodTotal: "last_day"}
# Without the queue, whose messages only call workers; and without sessions, so that a stolen back-up signs no one in.
_WHAT = (
    "--schema=public",
    "--exclude-table-data=public.django_session",
    "--exclude-table-data=public.reports_websession",
)


def mode_of(path: Path) -> dict[str, Any]:
    """Return the mode in which an archive of this name is written. Raises `BackupError`."""
    for suffix, mode in SUFFIXES.items():
        if path.name.endswith(suffix) and path.name != suffix:
            return mode
    raise BackupError(f"The name of a back-up must end in one of {', '.join(SUFFIXES)}.")


def back_up(path: Path, say: Say) -> None:
    """Write an archive that only its owner can read. It has its name when it is complete. Raises `BackupError`."""
    mode = mode_of(path)
    if path.exists():
        raise _exists(path)
    with _new_file(path) as file, advisory_lock(Lock.FILES, 0), spool_folder() as folder:
        say("Dumping the database …")
        dump = _dump(folder)
        with tarfile.open(fileobj=file, format=tarfile.PAX_FORMAT, **mode) as archive:
            _write_members(archive, dump, say)


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file of mode 0600 that gets its name at the end of the block, and is gone if that fails."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        file = os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _take_name(new, path)
    finally:
        new.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _take_name(new: Path, path: Path) -> None:
    """Unlike a rename, a link takes the place of no file that has come meanwhile."""
    try:
        path.hardlink_to(new)
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system that has no links
        if path.exists():
            raise _exists(path) from None
        new.rename(path)


def _exists(path: Path) -> BackupError:
    return BackupError(f"{path} exists. Choose another name, or delete it first.")


@dataclass(frozen=True)
class _Dump:
    """The database at one moment."""

    folder: Path
    # The files that its rows name, with their days.
    files: dict[str, datetime.date]
    migrations: list[str]
    postgresql: int
    pg_dump: int


def _dump(folder: Path) -> _Dump:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot,) = cursor.fetchone()
        options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}"]
        used = programs.run("pg_dump", [*options, *_WHAT, *waiting_rows.NOT_IN_DUMP, "--file", folder / DATABASE])
        waiting_rows.dump(folder, options)
        applied = sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())
        return _Dump(folder, dict(_named_files()), applied, programs.server_version(), used)


def _named_files() -> Iterator[tuple[str, datetime.date]]:
    for model in apps.get_app_config("reports").get_models():
        if model is PendingFile or not any(field.name == "file_name" for field in model._meta.fields):
            continue
        rows = model._default_manager.exclude(file_name="").order_by()
        day = None if issubclass(model, LeasedPart) else _DAYS.get(model, "day")
        found = rows.annotate(its_day=models.F(day) if day else models.Value(utc_today()))
        yield from found.values_list("file_name", "its_day").iterator()


@dataclass
class Progress:
    """Bytes written, of so many; says now and then how far that is."""

    total: int
    say: Say
    _copied: int = field(default=0, init=False)
    _told: int = field(default=0, init=False)

    def add(self, size: int) -> None:
        self._copied += size
        # The manifest, which comes last, is not in the total: its size is not known before.
        if (reached := min(TIMES, self._copied * TIMES // max(1, self.total))) > self._told:
            self._told = reached
            megabytes = f"{min(self._copied, self.total) / 1e6:,.1f} of {self.total / 1e6:,.1f} MB"
            self.say(f"{100 * reached // TIMES} %: {megabytes}")


class _Archive:
    """Members with their checksums. Like the files in the storage, they have days and no times."""

    def __init__(self, archive: tarfile.TarFile, progress: Progress) -> None:
        self._archive = archive
        self._progress = progress
        self.sha256: dict[str, str] = {}

    def add(self, name: str, content: IO[bytes], size: int, day: datetime.date) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        member.mtime = int(datetime.datetime.combine(day, datetime.time(), datetime.UTC).timestamp())
        hashed = _Hashed(content, self._progress)
        self._archive.addfile(member, hashed)
        self.sha256[name] = hashed.sha256.hexdigest()


class _Hashed(io.RawIOBase):
    """Reads another file, and hashes and counts what it reads."""

    def __init__(self, content: IO[bytes], progress: Progress) -> None:
        self._content = content
        self._progress = progress
        self.sha256 = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk = self._content.read(size)
        self.sha256.update(chunk)
        self._progress.add(len(chunk))
        return chunk


def _write_members(tar: tarfile.TarFile, dump: _Dump, say: Say) -> None:
    today = utc_today()
    dumps = {name: (dump.folder / name).stat().st_size for name in (DATABASE, *waiting_rows.MEMBERS)}
    sizes = _sizes(dump.files)
    key = settings.SECRET_KEY.encode()
    archive = _Archive(tar, Progress(len(key) + sum([*dumps.values(), *sizes.values()]), say))
    say(f"Copying {len(sizes):,} files …")
    for name, size in dumps.items():
        with (dump.folder / name).open("rb") as content:
            archive.add(name, content, size, today)
    archive.add(SECRET_KEY, io.BytesIO(key), len(key), today)
    for name, size in sizes.items():
        with storages["shards"].open(name, "rb") as content:
            archive.add(FILES + name, content, size, dump.files[name])
    manifest = Manifest(dump.migrations, dict(archive.sha256), dump.postgresql, dump.pg_dump).encoded()
    archive.add(MANIFEST, io.BytesIO(manifest), len(manifest), today)


def _sizes(names: Iterable[str]) -> dict[str, int]:
    """Return the sizes of stored files by name. Names are random, so their order reveals nothing about arrival."""
    sizes = {}
    for name in sorted(names):
        try:
            sizes[name] = storages["shards"].size(name)
        except FileNotFoundError:
            raise BackupError(
                f"The file {name}, which a row names, is not in the storage. Restore it from an older back-up first."
            ) from None
    return sizes
