"""Start and stop of the embedded database, among any number of processes that come and go, or are killed.

Two locks, which the kernel drops with the process that holds them: the *turn*, held while starting or stopping, and the
*users'* lock, shared for as long as a process uses the server. A process that leaves and then gets the users' lock
alone was the last, and stops it. A killed user leaves the server running; the next one takes it over.
"""

import contextlib
import fcntl
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ldpsite.embedded import binaries
from ldpsite.embedded.account import Account, account_for
from ldpsite.embedded.places import EmbeddedDatabaseError, Places
from ldpsite.embedded.server import Server, server_process

PRIVATE_PARENTS = ("/var/lib", "/var/tmp")  # noqa: S108 (the folders made there are closed and have random names)
UNQUOTABLE = frozenset('"$`\\')


@contextmanager
def database(data_dir: Path, *, durable: bool = True) -> Iterator[str]:
    """Keep the embedded database of a data folder running inside the block; yield its URL.

    With `durable=False` (tests) it is faster and does not survive a crash of the machine.
    """
    places = Places(data_dir.resolve())
    try:
        places.data_dir.mkdir(parents=True, exist_ok=True)
        users = _open(places.users_lock)
    except OSError as error:
        raise EmbeddedDatabaseError(f"The data folder cannot be used: {error}") from error
    server: Server | None = None
    try:
        with _turn(places):
            fcntl.flock(users, fcntl.LOCK_SH)
            with _permission_errors_in_words():
                server = _prepare(places, durable=durable)
                server.ensure_running()
        yield places.url()
    finally:
        # Here also when starting was interrupted: what has begun to run is stopped.
        with _turn(places):
            if server is not None and _alone(users):
                server.stop()
            os.close(users)


def is_running(data_dir: Path) -> bool:
    """Say whether the server's process is alive, without asking it anything."""
    return server_process(Places(data_dir.resolve())) is not None


def start_again(data_dir: Path) -> None:
    """Start the server after it died. The caller is inside `database()`, which stops this one as it would the first."""
    places = Places(data_dir.resolve())
    with _turn(places), _permission_errors_in_words():
        _prepare(places, durable=True).ensure_running()


def remove(data_dir: Path) -> None:
    """Delete a stopped embedded database, wherever it is kept."""
    places = Places(data_dir.resolve())
    for folder in {places.home, places.socket_dir}:
        shutil.rmtree(folder, ignore_errors=True)
    places.elsewhere.unlink(missing_ok=True)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


@contextmanager
def _permission_errors_in_words() -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise EmbeddedDatabaseError(f"The embedded database belongs to another user: {error}") from error


@contextmanager
def _turn(places: Places) -> Iterator[None]:
    lock = _open(places.turn_lock)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _alone(users: int) -> bool:
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _prepare(places: Places, *, durable: bool) -> Server:
    """Settle who runs the server, where its files are and which programs it is."""
    if places.elsewhere.exists() and not places.home.exists():
        raise EmbeddedDatabaseError(
            f"The database was kept in {places.home}, which is gone. "
            f"To start with an empty one, delete {places.elsewhere}."
        )
    account = account_for(places.cluster if places.cluster.exists() else places.home)
    if not places.home.exists():
        _make_folder(places.home, account)
    if not account.can_enter(places.home):
        if places.cluster.exists():
            raise EmbeddedDatabaseError(f"uid {account.uid}, which runs the database, cannot reach {places.home}.")
        places.home.rmdir()
        _move_out(places, account, "which cannot enter")
    elif not account.is_this_process and not places.cluster.exists() and UNQUOTABLE & set(str(places.home)):
        # Its programs may have to be copied there, and initdb calls them through a shell, between double quotes.
        places.home.rmdir()
        _move_out(places, account, "which cannot run programs in")
    programs = binaries.reachable(binaries.find(places.cluster), account, places.home)
    _check_socket_folder(places, account)
    return Server(places, account, programs, durable)


def _move_out(places: Places, account: Account, because: str) -> None:
    """Give the server a home outside the data folder, because its account cannot use that.

    Opening the parents to it would open them to everybody.
    """
    for parent in map(Path, PRIVATE_PARENTS):
        home = parent / f"ldpsite-{secrets.token_hex(8)}"
        try:
            _make_folder(home, account)
        except OSError:
            continue
        if account.can_enter(home):
            new = places.elsewhere.with_suffix(".new")
            new.write_text(f"{home}\n", encoding="utf-8")
            new.rename(places.elsewhere)
            runs = f"PostgreSQL runs as uid {account.uid}, {because} {places.data_dir}"
            print(f"{runs}: its files are in {home}.", file=sys.stderr)
            return
        home.rmdir()
    raise EmbeddedDatabaseError(
        f"PostgreSQL would run as uid {account.uid}, {because} {places.data_dir}. "
        "Choose another LDPSITE_DATA_DIR, run as another user, or set DATABASE_URL."
    )


def _make_folder(folder: Path, account: Account) -> None:
    folder.mkdir(mode=0o700)
    account.own(folder)


def _check_socket_folder(places: Places, account: Account) -> None:
    """Make the socket's folder; refuse one that others could have made, for all who can enter it are let in."""
    folder = places.socket_dir
    try:
        _make_folder(folder, account)
    except FileExistsError:
        found = folder.lstat()
        if folder.is_symlink() or found.st_uid != account.uid or found.st_mode & 0o077:
            raise EmbeddedDatabaseError(f"{folder} must be a folder of uid {account.uid} with mode 0700.") from None
