"""Log files that only their owner can read."""

import os
from pathlib import Path
from typing import BinaryIO


def open_log(path: Path) -> BinaryIO:
    """Open a log to write at its end, and close it and its folder to other users, also one that was there before."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    log = os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")
    os.fchmod(log.fileno(), 0o600)
    return log
