"""Paths of the embedded database. Only paths: nothing here starts or writes anything."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

NAME = "ldpsite"
"""The database, and the role that owns it."""

PORT = 5432
"""No port is opened; the number is part of the socket's name."""

LONGEST_SOCKET_PATH = 103
"""Bytes. An address of a unix socket holds 108 on Linux and 104 on macOS, and ends with a zero byte."""


class EmbeddedDatabaseError(Exception):
    """The embedded database cannot be used; the text is written for the person at the terminal."""


@dataclass(frozen=True)
class Places:
    """The files of one embedded database."""

    data_dir: Path

    @property
    def elsewhere(self) -> Path:
        """The file that names another home, for when the server's account cannot reach the data folder."""
        return self.data_dir / "postgres-is-elsewhere"

    @property
    def home(self) -> Path:
        try:
            return Path(self.elsewhere.read_text(encoding="utf-8").strip())
        except FileNotFoundError:
            return self.data_dir / "postgres"

    @property
    def cluster(self) -> Path:
        return self.home / "cluster"

    @property
    def pid_file(self) -> Path:
        return self.cluster / "postmaster.pid"

    @property
    def socket_dir(self) -> Path:
        folder = self.home / "socket"
        if len(str(folder / self._socket_name).encode()) <= LONGEST_SOCKET_PATH:
            return folder
        # /tmp and not $TMPDIR: every process has to find the same folder. Its owner and mode are checked before use.
        return Path("/tmp") / f"ldpsite-{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"  # noqa: S108

    @property
    def socket(self) -> Path:
        return self.socket_dir / self._socket_name

    @property
    def log(self) -> Path:
        return self.data_dir / "logs" / "postgres.log"

    @property
    def turn_lock(self) -> Path:
        """Held while the server is being started or stopped."""
        return self.data_dir / "postgres-turn.lock"

    @property
    def users_lock(self) -> Path:
        """Shared by everyone who uses the server."""
        return self.data_dir / "postgres-users.lock"

    _socket_name = f".s.PGSQL.{PORT}"

    def url(self, database: str = NAME) -> str:
        return f"postgresql://{NAME}@{quote(str(self.socket_dir), safe='')}:{PORT}/{database}"


def url(data_dir: Path) -> str:
    """Return the address of the embedded database of a data folder, whether it runs or not."""
    return Places(data_dir.resolve()).url()


def log(data_dir: Path) -> Path:
    """Return where the server of a data folder writes its log."""
    return Places(data_dir.resolve()).log
