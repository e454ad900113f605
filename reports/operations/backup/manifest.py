"""Contents of an archive: the names of its members, and what its manifest says of them."""

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from django.db.migrations.loader import MigrationLoader

from reports.operations.earlier import reason_to_refuse, replaced

FORMAT = 1
MANIFEST, DATABASE, SECRET_KEY, FILES = "manifest.json", "database.dump", "secret-key", "files/"
# As `reports.storage.new_name` makes them. Nothing else is written to the storage, whatever an archive says.
FILE_NAME = re.compile(r"[a-z][a-z-]{0,30}/[0-9a-f]{2}/[0-9a-f]{32}\.npy")


class BackupError(Exception):
    """A back-up cannot be written or restored; the text is for the person at the terminal."""


@dataclass(frozen=True)
class Manifest:
    """The last member of an archive, so that one without it is known to be cut off."""

    # Migrations that the dump has, "app.name".
    migrations: list[str]
    # SHA-256 of each other member, by its name.
    sha256: dict[str, str]
    # Major versions of the server, and of the program that made the dump.
    postgresql: int
    pg_dump: int
    format: int = FORMAT

    def encoded(self) -> bytes:
        return json.dumps(asdict(self), indent=1, sort_keys=True).encode() + b"\n"

    @classmethod
    def decoded(cls, text: bytes) -> "Manifest":
        """Raises `BackupError` for what this release does not understand."""
        try:
            content: dict[str, Any] = json.loads(text)
            if content["format"] != FORMAT:
                raise BackupError(f"The back-up has format {content['format']!r}; this release reads {FORMAT}.")
            migrations, sha256 = list(map(str, content["migrations"])), dict(content["sha256"])
            manifest = cls(migrations, sha256, int(content["postgresql"]), int(content["pg_dump"]))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BackupError(
                "The manifest of the archive cannot be read: this is no back-up, or a broken one."
            ) from None
        return manifest

    def check_release(self) -> None:
        """Raise `BackupError` if the dump is of a later release, or of an earlier one that nothing leads on from."""
        applied = {(app, migration) for app, _, migration in (name.partition(".") for name in self.migrations)}
        if reason := reason_to_refuse(applied):
            raise BackupError(f"The back-up {reason}")
        if unknown := sorted(applied - replaced() - set(MigrationLoader(None).disk_migrations)):
            name = ".".join(unknown[0])
            raise BackupError(
                f"The back-up is of a newer release, which has a migration {name}. Install that release first."
            )
