"""A bucket that speaks S3, on this machine: moto's server, in a thread of the test; and one that never answers."""

import logging
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.files.storage import storages
from moto.server import ThreadedMotoServer
from storages.backends.s3 import S3Storage

from tests.processes import lasting_port


class S3Server:
    """Keeps its objects while it is stopped. `storage` is what the setting of the site's storage wants."""

    def __init__(self) -> None:
        # A line for each request otherwise.
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._port = lasting_port()
        self.start()
        self.storage: dict[str, Any] = {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {
                "bucket_name": f"ldpsite-{uuid.uuid4().hex}",
                "location": "shards",
                "endpoint_url": f"http://127.0.0.1:{self._port}",
                "region_name": "us-east-1",
                "access_key": "test",
                "secret_key": "test",
                "max_memory_size": 1 << 24,
            },
        }

    def start(self) -> None:
        self._server = ThreadedMotoServer("127.0.0.1", self._port, verbose=False)
        self._server.start()

    def stop(self) -> None:
        """Refuse connections from now on."""
        self._server.stop()

    def make_bucket(self) -> None:
        """Make the bucket of the site's storage, which the settings name by now."""
        found = storages["shards"]
        assert isinstance(found, S3Storage)
        found.connection.create_bucket(Bucket=found.bucket_name)


@contextmanager
def hanging_bucket() -> Iterator[dict[str, Any]]:
    """Take connections and never answer; yields the setting of the site's storage."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        keys = {"access_key": "test", "secret_key": "test", "region_name": "us-east-1"}
        options = {"bucket_name": "hangs", "endpoint_url": address, "addressing_style": "path"} | keys
        yield {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
