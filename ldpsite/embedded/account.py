"""The account that runs the server: PostgreSQL refuses to run as root, so root steps down."""

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from ldpsite.embedded.places import EmbeddedDatabaseError

STEP_DOWN_TO = ("postgres", "nobody")


class ProcessOptions(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]
    cwd: str
    env: dict[str, str]


@dataclass(frozen=True)
class Account:
    """A user the server's processes run as."""

    uid: int
    gid: int

    @property
    def is_this_process(self) -> bool:
        return self.uid == os.geteuid()

    @property
    def process_options(self) -> ProcessOptions:
        """Options for `subprocess`: this account, a folder it can be in, and none of our PG* variables."""
        options: ProcessOptions = {"cwd": "/", "env": {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}}
        if not self.is_this_process:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return options

    def succeeds(self, command: Sequence[str | Path]) -> bool:
        """Say whether a command runs and exits with 0 as this account."""
        try:
            result = subprocess.run(command, capture_output=True, check=False, **self.process_options)
        except (PermissionError, FileNotFoundError):
            return False
        return result.returncode == 0

    def can_enter(self, folder: Path) -> bool:
        # Asked of the system, not computed from modes: groups, ACLs and mount options have a say too.
        return self.succeeds(["/bin/sh", "-c", 'cd "$1"', "sh", folder])

    def own(self, path: Path) -> None:
        if not self.is_this_process:
            os.chown(path, self.uid, self.gid)


def account_for(folder: Path) -> Account:
    """Return the account that owns a folder, or, when it is not there yet, the one that shall own it."""
    if folder.exists():
        found = folder.stat()
        owner = Account(found.st_uid, found.st_gid)
        if owner.is_this_process or os.geteuid() == 0:
            return owner
        raise EmbeddedDatabaseError(f"{folder} belongs to another user (uid {owner.uid}), who alone can start it.")
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    for name in STEP_DOWN_TO:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        account = Account(entry.pw_uid, entry.pw_gid)
        if account.succeeds(["/bin/sh", "-c", "exit 0"]):
            return account
    raise EmbeddedDatabaseError(
        "PostgreSQL does not run as root, and none of the accounts "
        f"{' and '.join(STEP_DOWN_TO)} can be used instead. Run as another user, or set DATABASE_URL."
    )
