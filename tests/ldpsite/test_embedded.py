"""The embedded database among processes that come, go and are killed. Real processes, real servers."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ldpsite import embedded
from ldpsite.embedded import binaries
from ldpsite.embedded.places import LONGEST_SOCKET_PATH, Places
from ldpsite.env import BASE_DIR
from tests.workers import wait_for

pytestmark = pytest.mark.exact

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has to step down")

USER = """
import os, sys
from pathlib import Path
import psycopg
from ldpsite import embedded
with embedded.database(Path(sys.argv[1]), durable=False) as url:
    with psycopg.connect(url, autocommit=True) as connection:
        # Two processes that make a table at once find each other's type of it, whatever they say about existing ones.
        connection.execute("SELECT pg_advisory_lock(1)")
        connection.execute("CREATE TABLE IF NOT EXISTS seen (who int)")
        connection.execute("INSERT INTO seen VALUES (%s)", [os.getpid()])
        print(connection.execute("SELECT pg_postmaster_start_time()::text").fetchone()[0], flush=True)
    sys.stdin.read()
"""


def use(folder: Path, path: str = "") -> subprocess.Popen[str]:
    """Start a process that uses the database until its input ends."""
    environment = os.environ | {"PYTHONPATH": f"{path}:{BASE_DIR}"}
    return subprocess.Popen(
        [sys.executable, "-c", USER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    line = process.stdout.readline()
    if not line:
        pytest.fail(process.communicate()[1])
    return line


def leave(process: subprocess.Popen[str]) -> str:
    """End a user's work; return what it said to the terminal."""
    error = process.communicate(timeout=30)[1]
    assert process.returncode == 0, error
    return error


def runs(folder: Path) -> bool:
    try:
        psycopg.connect(embedded.url(folder)).close()
    except psycopg.OperationalError:
        return False
    return True


def server_pid(folder: Path) -> int:
    return int(Places(folder).cluster.joinpath("postmaster.pid").read_text().split()[0])


@contextlib.contextmanager
def data_folder() -> Iterator[Path]:
    # Not tmp_path: that is closed to all but its owner, which is a test of its own.
    path = Path(tempfile.mkdtemp(prefix="ldpsite-embedded-")).resolve()
    path.chmod(0o711)
    data = path / "var"
    try:
        yield data
    finally:
        if data.exists():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                os.kill(server_pid(data), signal.SIGQUIT)
            embedded.remove(data)
        shutil.rmtree(path)


@pytest.fixture
def new_folder() -> Iterator[Path]:
    """Give the place of a data folder that is not there yet."""
    with data_folder() as data:
        yield data


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """Make a cluster, which takes longer than all that is done with it."""
    with data_folder() as data:
        with embedded.database(data, durable=False):
            pass
        yield data


@pytest.fixture
def folder(made: Path) -> Iterator[Path]:
    """Give the data folder of all tests with its database stopped."""
    yield made
    if runs(made):
        os.kill(server_pid(made), signal.SIGINT)
        wait_for(lambda: not runs(made))


def test_keeps_its_rows_from_one_start_to_the_next(folder: Path) -> None:
    for expected in (1, 2):
        with embedded.database(folder, durable=False) as url, psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS kept (word text)")
            connection.execute("INSERT INTO kept VALUES ('wörd')")
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (expected,)
            assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        assert not runs(folder)


def test_processes_that_start_together_share_one_server(new_folder: Path) -> None:
    users = [use(new_folder) for _ in range(3)]
    assert len({first_line(user) for user in users}) == 1
    for user in users[:-1]:
        leave(user)
        assert runs(new_folder)
    leave(users[-1])
    assert not runs(new_folder)


def test_processes_that_come_and_go_never_meet_a_stopping_server(folder: Path) -> None:
    came = []
    for _ in range(2):
        users = [use(folder) for _ in range(2)]
        for user in users:
            leave(user)
            came.append(user.pid)
    assert not runs(folder)
    with embedded.database(folder, durable=False) as url, psycopg.connect(url) as connection:
        assert {*came} <= {who for (who,) in connection.execute("SELECT who FROM seen")}


def test_a_killed_user_leaves_it_to_the_next(folder: Path) -> None:
    killed = use(folder)
    started = first_line(killed)
    killed.kill()
    killed.communicate()
    assert runs(folder)
    heir = use(folder)
    assert first_line(heir) == started
    leave(heir)
    assert not runs(folder)


def test_a_killed_server_starts_again(folder: Path) -> None:
    user = use(folder)
    started = first_line(user)
    os.kill(server_pid(folder), signal.SIGKILL)
    heir = use(folder)
    assert first_line(heir) != started
    leave(heir)
    leave(user)
    assert not runs(folder)


def test_a_number_in_a_stale_file_may_belong_to_anybody(folder: Path) -> None:
    Places(folder).cluster.joinpath("postmaster.pid").write_text(f"{os.getpid()}\n{folder}\n")
    with embedded.database(folder, durable=False):
        assert runs(folder)
    assert not runs(folder)


def test_a_long_path_puts_the_socket_elsewhere(new_folder: Path) -> None:
    deep = new_folder / ("a long name, with: 'quotes' \" and @ü% " * 4).strip() / "var"
    assert len(str(deep).encode()) > LONGEST_SOCKET_PATH
    with embedded.database(deep, durable=False) as url, psycopg.connect(url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        sockets = Places(deep).socket_dir
        assert sockets.stat().st_mode & 0o777 == 0o700
        assert deep not in sockets.parents
    embedded.remove(deep)
    assert not sockets.exists()


def test_refuses_a_socket_folder_that_others_can_enter(folder: Path) -> None:
    sockets = Places(folder).socket_dir
    sockets.chmod(0o755)
    with pytest.raises(embedded.EmbeddedDatabaseError, match="mode 0700"), embedded.database(folder, durable=False):
        pass
    sockets.chmod(0o700)


def test_a_server_started_by_hand_is_not_stopped(folder: Path) -> None:
    with embedded.database(folder, durable=False):
        places = Places(folder)
        options = places.cluster / "postmaster.opts"
        options.write_text('postgres "-D" "somewhere"\n')
    assert runs(folder)


def test_says_which_version_a_cluster_needs(folder: Path) -> None:
    version = Places(folder).cluster / "PG_VERSION"
    made_by = version.read_text()
    version.write_text("9\n")
    with pytest.raises(embedded.EmbeddedDatabaseError, match="made by PostgreSQL 9"), embedded.database(folder):
        pass
    version.write_text(made_by)


def test_without_the_package_the_system_is_asked(new_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "WHEEL", "no_such_package")
    monkeypatch.setattr(binaries, "SYSTEM", ())
    monkeypatch.setenv("PATH", str(new_folder))
    with pytest.raises(embedded.EmbeddedDatabaseError, match="No PostgreSQL found"), embedded.database(new_folder):
        pass


@as_root
def test_root_below_a_closed_folder(tmp_path: Path) -> None:
    """A checkout that only root can enter, environment included: the server gets copies outside, it stays shut."""
    tmp_path.chmod(0o700)
    site = tmp_path / ".venv" / "site-packages"
    copy_package(site)
    data = tmp_path / "var"
    try:
        user = use(data, path=str(site))
        first_line(user)
        places = Places(data)
        assert tmp_path not in places.home.parents
        assert list(places.home.glob("programs-*"))
        assert Path(f"/proc/{server_pid(data)}").stat().st_uid != 0
        assert "cannot enter" in leave(user)
        # The second time there is nothing new to say.
        assert leave(use(data, path=str(site))) == ""
        assert tmp_path.stat().st_mode & 0o777 == 0o700
    finally:
        home = Places(data).home
        embedded.remove(data)
    assert not home.exists()


@as_root
def test_root_with_an_environment_that_only_root_can_read(new_folder: Path, tmp_path: Path) -> None:
    """As under a umask of 077: links would be as closed as the originals."""
    site = tmp_path / "site-packages"
    copy_package(site)
    for path in site.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o700)
    user = use(new_folder, path=str(site))
    first_line(user)
    leave(user)
    assert list(Places(new_folder).home.glob("programs-*"))


def copy_package(site: Path) -> None:
    programs = binaries.find(Path("/nowhere"))
    if binaries.WHEEL not in programs.parts:
        pytest.skip("the programs are the system's")
    package = programs.parent.parent
    for source in (package, package.with_name(f"{binaries.WHEEL}.libs")):
        if source.exists():
            shutil.copytree(source, site / source.name, symlinks=True)


def test_its_log_repeats_no_row_and_no_statement(folder: Path) -> None:
    with embedded.database(folder, durable=False) as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE secrets (word text UNIQUE)")
        connection.execute("INSERT INTO secrets VALUES ('xyzzy')")
        for statement in ("INSERT INTO secrets VALUES ('xyzzy')", "SELECT 1 FROM nowhere WHERE word = 'xyzzy'"):
            with pytest.raises(psycopg.Error):
                connection.execute(statement)
    log = Places(folder).log.read_text()
    assert "duplicate key value" in log
    assert "xyzzy" not in log
    assert "STATEMENT" not in log
