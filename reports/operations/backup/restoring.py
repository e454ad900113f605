"""Restoring a back-up into an empty installation. It is checked to its last byte before anything is written."""

import datetime
import hashlib
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.core.management import call_command
from django.db import connection

from reports.operations.backup import programs, waiting_rows
from reports.operations.backup.manifest import (
    DATABASE,
    FILE_NAME,
    FILES,
    MANIFEST,
    SECRET_KEY,
    BackupError,
    Manifest,
)
from reports.operations.backup.writing import Say
from reports.retention import delete_expired
from reports.storage import spool_folder, storage_errors, store

CHUNK = 1 << 20
LARGEST_MANIFEST = 1 << 30
# Members that are not stored files.
NEEDED = {DATABASE, SECRET_KEY, *waiting_rows.MEMBERS}
KINDS = ("shards", "parts", "read-outs", "totals", "training")


def restore(path: Path, say: Say) -> None:
    """Put back what `back_up` has written. Raises `BackupError`, and has then changed nothing, or undone it.

    Raises `StorageUnavailable` if the storage cannot be used; what cannot be deleted then is left there.

    What is left once the database is there can be called again: `migrate`, and deleting what has expired.
    """
    _refuse_what_is_not_empty()
    say("Checking the archive …")
    with spool_folder() as folder:
        manifest = _checked(path, folder)
        manifest.check_release()
        _check_server(manifest)
        key = (folder / SECRET_KEY).read_text(encoding="utf-8")
        _check_key(key)
        say(f"Restoring {len(manifest.sha256) - len(NEEDED)} files …")
        with _undone_if_it_fails() as stored:
            _restore_files(path, stored)
            say("Restoring the database …")
            options = ["--schema=public", "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error"]
            with waiting_rows.restored(folder, options, manifest.pg_dump), _kept(key):
                # The last step, in one transaction: without it there is no installation yet.
                programs.run("pg_restore", [*options, folder / DATABASE], at_least=manifest.pg_dump)
    connection.close()  # what it knows of the database is from before
    say("Bringing the tables to this release …")
    call_command("migrate", interactive=False, verbosity=0)
    # Reports whose retention ended while they lay in the archive are not kept any longer. The last day known is the
    # archive's.
    delete_expired(trust_clock=True)


# --- Only into an empty installation ---


def _refuse_what_is_not_empty() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace"
            " WHERE nspname = 'public' AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')"
        )
        (tables,) = cursor.fetchone()
    if tables:
        raise BackupError(
            f"The database is not empty: it has {tables} tables and sequences. A back-up is restored into an empty"
            " installation only. Use a new data folder (LDPSITE_DATA_DIR), or a new database (DATABASE_URL), on which"
            " not even `migrate` has been called."
        )
    with storage_errors():
        filled = next((kind for kind in KINDS if _has_files(storages["shards"], kind)), None)
    if filled is not None:
        raise BackupError(
            f"The storage for shards is not empty: it has files in {filled}/. If they are left from a restoration that"
            " was interrupted, delete them; else restore into a new installation."
        )


def _has_files(storage: Storage, place: str) -> bool:
    try:
        folders, files = storage.listdir(place)
    except FileNotFoundError:
        return False
    return bool(files) or any(_has_files(storage, f"{place}/{folder}") for folder in folders)


def _check_server(manifest: Manifest) -> None:
    if programs.server_version() < manifest.postgresql:
        raise BackupError(
            f"The back-up is of PostgreSQL {manifest.postgresql}, and this server is {programs.server_version()}, which"
            " does not understand all of it. Use a server of that version or a newer one."
        )


def _check_key(key: str) -> None:
    if _own_key() is None and key != settings.SECRET_KEY:
        raise BackupError(
            "LDPSITE_SECRET_KEY is another key than that of the back-up. Set it to that (tar -xOf FILE secret-key), or"
            " unset it, and the key of the back-up is kept in the data folder."
        )


def _own_key() -> Path | None:
    """Return the file of the key that this machine has made for itself; None if the site is told another key."""
    path = Path(settings.DATA_DIR) / "secret-key"
    return path if path.exists() and path.read_text(encoding="utf-8").strip() == settings.SECRET_KEY else None


@contextmanager
def _kept(key: str) -> Iterator[None]:
    """Put the key, for the block, in place of the one that this machine has just made, which is back if it fails."""
    path = _own_key()
    if path is None or key == settings.SECRET_KEY:
        yield
        return
    _write_key(path, key)
    try:
        yield
    except BaseException:
        _write_key(path, settings.SECRET_KEY)
        raise


def _write_key(path: Path, key: str) -> None:
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as new:  # its mode is 0600
        new.write(key)
        new.flush()
        os.fsync(new.fileno())
    Path(new.name).replace(path)


# --- Reading an archive that may be anything ---


@contextmanager
def _opened(path: Path) -> Iterator[Iterator[tuple[tarfile.TarInfo, IO[bytes]]]]:
    """Yield the members in their order; only regular files may be there. Raises `BackupError` for what is broken."""
    try:
        with path.open("rb") as file, tarfile.open(fileobj=file, mode="r|*") as archive:
            yield _members(archive)
    except OSError as error:
        if error.filename is None or Path(str(error.filename)) != path:
            raise  # the installation's trouble, not the archive's
        raise BackupError(f"{path} cannot be read: {error.strerror}.") from None
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise BackupError(f"{path} is no archive, or a broken one ({error}).") from None


def _members(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    for member in archive:
        content = archive.extractfile(member) if member.isreg() else None
        if content is None:
            raise BackupError(f"The archive has something in it that is no file ({member.name!r}): it is no back-up.")
        yield member, content


def _checked(path: Path, folder: Path) -> Manifest:
    """Check names and checksums of all members; writes dumps, rows and key to the folder."""
    found: dict[str, str] = {}
    manifest: Manifest | None = None
    with _opened(path) as members:
        for member, content in members:
            name = member.name
            if manifest is not None or name in found:
                raise BackupError(f"The archive has {name!r} after its end, or twice: it is no back-up.")
            if name == MANIFEST:
                manifest = Manifest.decoded(content.read(LARGEST_MANIFEST))
            elif name in NEEDED:
                with (folder / name).open("xb") as copy:
                    found[name] = _copy(content, copy)
            elif name.startswith(FILES) and FILE_NAME.fullmatch(name.removeprefix(FILES)):
                found[name] = _copy(content, None)
            else:
                raise BackupError(f"The archive has {name!r} in it, which is in no back-up. Nothing was restored.")
    if manifest is None:
        raise BackupError(f"{path} is no back-up, or it is cut off: its manifest is missing.")
    if not found.keys() >= NEEDED or found != manifest.sha256:
        wrong = sorted(name for name in {*found, *manifest.sha256} if found.get(name) != manifest.sha256.get(name))
        first = (wrong or sorted(NEEDED - found.keys()))[0]
        raise BackupError(f"The back-up is damaged: {first} is not what was written.")
    return manifest


def _copy(content: IO[bytes], copy: IO[bytes] | None) -> str:
    """Return the SHA-256 of what was read."""
    sha256 = hashlib.sha256()
    while chunk := content.read(CHUNK):
        sha256.update(chunk)
        if copy is not None:
            copy.write(chunk)
    return sha256.hexdigest()


# --- Files ---


@contextmanager
def _undone_if_it_fails() -> Iterator[list[str]]:
    """Yield a list for the names of files that are stored inside the block, and deleted again if it fails."""
    stored: list[str] = []
    try:
        yield stored
    except BaseException:
        with storage_errors():
            for name in stored:
                storages["shards"].delete(name)
        raise


def _restore_files(path: Path, stored: list[str]) -> None:
    with spool_folder() as folder, _opened(path) as members:
        for member, content in members:
            if not member.name.startswith(FILES):
                continue
            name = member.name.removeprefix(FILES)
            copy = folder / "copy.npy"
            with copy.open("wb") as file:
                shutil.copyfileobj(content, file, CHUNK)
            stored.append(name)
            try:
                store(copy, name, datetime.datetime.fromtimestamp(member.mtime, datetime.UTC).date())
            except FileExistsError:
                raise BackupError(f"The storage does not take the file {name} under its name.") from None
