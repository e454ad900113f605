"""A bucket that speaks S3, on this machine: moto's server, in a thread of the test."""

import logging
import uuid
from typing import Any

from django.core.files.storage import storages
from moto.server import ThreadedMotoServer
from storages.backends.s3 import S3Storage


class S3Server:
    """Keeps its objects while it is stopped. `storage` is what the setting of the site's storage wants."""

    def __init__(self) -> None:
        # A line for each request otherwise.
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._port = 0
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
        _host, self._port = self._server.get_host_and_port()

    def stop(self) -> None:
        """Refuse connections from now on."""
        self._server.stop()

    def make_bucket(self) -> None:
        """Make the bucket of the site's storage, which the settings name by now."""
        found = storages["shards"]
        assert isinstance(found, S3Storage)
        found.connection.create_bucket(Bucket=found.bucket_name)
