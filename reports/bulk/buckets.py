"""Buckets as places, through Amazon's client."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from reports.bulk.places import Found, Gone, MissingPackage, is_hidden
from reports.storage import storage_errors


@cache
def client() -> Any:
    """Return Amazon's client, which asks the environment where to go and who it is."""
    try:
        import boto3
        from botocore.config import Config
    except ModuleNotFoundError:
        raise MissingPackage("boto3 (requirements-s3.txt)") from None
    retries = {"mode": "standard", "total_max_attempts": 2}
    return boto3.client("s3", config=Config(connect_timeout=10, read_timeout=60, retries=retries))


class Bucket:
    """The objects of a bucket whose keys begin alike."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._bucket, _slash, self._prefix = address.removeprefix("s3://").partition("/")
        self._client = client()

    def found(self) -> Iterator[Found]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._prefix)
        with storage_errors():
            for page in pages:
                for each in page.get("Contents", ()):
                    name = each["Key"].removeprefix(self._prefix)
                    if name and not name.endswith("/") and not is_hidden(name):
                        yield Found(name, each["Size"], each["ETag"])

    def read(self, found: Found, start: int, length: int) -> bytes:
        asked = {"Range": f"bytes={start}-{start + length - 1}", "IfMatch": found.tag}
        content = self._get(found.name, **asked)
        if content is None:
            raise Gone
        return content

    def read_whole(self, name: str) -> bytes | None:
        return self._get(name)

    def _get(self, name: str, **asked: str) -> bytes | None:
        with storage_errors():
            try:
                answer = self._client.get_object(Bucket=self._bucket, Key=f"{self._prefix}{name}", **asked)
                content: bytes = answer["Body"].read()
            except self._client.exceptions.ClientError as error:
                if error.response["Error"]["Code"] in {"NoSuchKey", "PreconditionFailed", "404", "412"}:
                    return None
                raise
        return content

    def write(self, name: str, content: bytes) -> None:
        with storage_errors():
            self._client.put_object(Bucket=self._bucket, Key=f"{self._prefix}{name}", Body=content)

    def delete(self, name: str) -> None:
        with storage_errors():
            self._client.delete_object(Bucket=self._bucket, Key=f"{self._prefix}{name}")
