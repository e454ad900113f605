"""Checks that the storage of shards does what is asked of it."""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.core import checks
from django.core.files.base import ContentFile

from reports.storage import StorageUnavailable, shard_storage, storage_errors


def look_at_storage() -> None:
    """Raise `StorageUnavailable` unless the storage says what is in it."""
    # A folder is made with the first file.
    with storage_errors(), suppress(FileNotFoundError):
        shard_storage().listdir("")


def use_storage() -> None:
    """Write, read, list and delete one small object. Raises `StorageUnavailable`."""
    content = uuid.uuid4().bytes
    with storage_errors():
        storage = shard_storage()
        name = storage.save(f"checks/{uuid.uuid4().hex}", ContentFile(content))
        try:
            with storage.open(name, "rb") as file:
                if file.read() != content:
                    raise OSError("it does not give back what was written")
            storage.listdir("checks")
        finally:
            storage.delete(name)


def check_storage(app_configs: Sequence[Any] | None, **options: Any) -> list[checks.CheckMessage]:
    """Try the storage: a misspelt backend, a missing bucket, right or credential shows before the first upload."""
    try:
        use_storage()
    except (StorageUnavailable, FileNotFoundError) as error:
        cause = error.__cause__ or error
        return [
            checks.Error(
                f"The storage of reports cannot be used: {type(cause).__name__}: {cause}",
                hint="See LDPSITE_SHARD_STORAGE and the part about storages in docs/operations.md.",
                id="reports.E001",
            )
        ]
    return []
