"""Addresses of places."""

from pathlib import Path

from reports.bulk.buckets import Bucket
from reports.bulk.folders import Folder
from reports.bulk.places import Place


def is_address(text: str) -> bool:
    """Tell whether a text names a place rather than a file: a bucket, or a folder with a slash at its end."""
    return text.startswith("s3://") or (text.endswith("/") and Path(text).is_dir())


def place_at(address: str) -> Place:
    """Return the place at an address: ``s3://bucket/beginning/`` or a folder. Raises `MissingPackage`."""
    return Bucket(address) if address.startswith("s3://") else Folder(address)
