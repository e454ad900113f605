"""Files with what was read of dictionaries, on this machine: they are read in milliseconds, where rows take longer.

They hold nothing that is not in the database, may go at any time, and go when another is written and no dictionary has
their contents any more.
"""

import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import emoji
import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from reports.models import DictionaryRevision

Arrays = Mapping[str, NDArray[Any]]

# Names of emoji are in them, and with another form of them all are made again.
_FORM = f"1-{emoji.__version__}"


def kept_arrays(name: str, make: Callable[[], Arrays]) -> Arrays:
    """Return what is kept under a name, which ends with the digest of a dictionary; made and kept if it is missing.

    Where no file can be written they are made each time that a process asks.
    """
    folder = Path(settings.LDPSITE_SPOOL_DIR) / "dictionaries" / _FORM
    path = folder / f"{name}.npz"
    with suppress(OSError, ValueError), np.load(path, allow_pickle=False) as kept:
        return dict(kept)
    made = make()
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _prune(folder)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as new:
            np.savez(new, allow_pickle=False, **dict(made))
        # Two processes may make the same: the last rename wins, with the same bytes.
        Path(new.name).replace(path)
    return made


def _prune(folder: Path) -> None:
    there = set(DictionaryRevision.objects.values_list("digest", flat=True))
    for path in folder.glob("*.npz"):
        if path.stem.rpartition("-")[2] not in there:
            path.unlink(missing_ok=True)
