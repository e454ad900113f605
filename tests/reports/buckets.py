"""A storage without paths, such as a bucket, in memory."""

from typing import IO

from django.core.files.base import ContentFile
from django.core.files.storage import Storage


class BucketError(Exception):
    """Error of a bucket's client, which is no `OSError`; the answer is as Amazon's client has it."""

    def __init__(self) -> None:
        super().__init__("An error occurred at http://bucket.example:9000/shards")
        self.response = {"Error": {"Code": "ServiceUnavailable"}}


class Bucket(Storage):
    """Has names and bytes, no paths. Counts how often a file is fetched; answers nothing but errors while away."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.fetched = 0
        self.is_away = False

    def _answer(self) -> None:
        if self.is_away:
            raise BucketError

    def _open(self, name: str, mode: str) -> "ContentFile[bytes]":
        self._answer()
        self.fetched += 1
        if name not in self.files:
            raise FileNotFoundError(name)
        return ContentFile(self.files[name])

    def _save(self, name: str, content: IO[bytes]) -> str:
        self._answer()
        self.files[name] = content.read()
        return name

    def delete(self, name: str) -> None:
        self._answer()
        self.files.pop(name, None)

    def exists(self, name: str) -> bool:
        self._answer()
        return name in self.files

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        self._answer()
        return [], sorted(self.files)
