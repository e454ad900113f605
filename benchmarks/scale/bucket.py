"""Memory of a worker that counts a part of a file of a gigabyte in a bucket, beside the records of the part.

Runs inside an installation (`benchmarks.scale.__main__` makes one), beside a bucket server on this machine: moto's, in
a process of its own, which keeps its objects in memory. Without it, of a site that has no tools of developers, nothing
is measured.
"""

import importlib.util
import json
import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import Row, Site, row
from benchmarks.scale.inside import define, definition, own_memory, set_up, version_of

BYTES = 1 << 30
# A sixteenth of the file is read, as by one of sixteen workers.
PARTS = 16
TARGET = "memory ≤ 64 MB"
BUCKET = {"bucket_name": "ldpsite", "region_name": "us-east-1", "access_key": "test", "secret_key": "test"}


def steps(site: Site) -> Iterator[Row]:
    if importlib.util.find_spec("moto") is None:
        return
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # a line for each request otherwise
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        options = BUCKET | {"endpoint_url": f"http://{host}:{port}"}
        storage = json.dumps({"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options})
        with_bucket = replace(site, environment=site.environment | {"LDPSITE_SHARD_STORAGE": storage})
        name = with_bucket.inside("scale.bucket", "store")
        found = with_bucket.inside("scale.bucket", name)
    finally:
        server.stop()
    measured = row("a part of 1 GB in a bucket", found["seconds"], found["mb"], TARGET, "counted again", found["floor"])
    yield measured | {"fetched_mb": found["fetched_mb"]}


def _store() -> str:
    """Store a file of records in order, which are none of a device, and return its name."""
    from reports.models.uploads import utc_today
    from reports.storage import new_name, shard_storage, store, write_array

    version = define(definition("bucket"))
    shard_storage().connection.create_bucket(Bucket=BUCKET["bucket_name"])  # type: ignore[attr-defined]
    dtype = version.mechanism.record_dtype("element")
    size, name = BYTES // dtype.itemsize, new_name("shards")

    def blocks() -> Iterator[np.ndarray[Any, Any]]:
        for start in range(0, size, 1 << 16):
            records = np.zeros(min(1 << 16, size - start), dtype)
            records["row"] = np.arange(start, start + len(records)) * version.mechanism.divisions // size
            yield records

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.npy"
        write_array(path, dtype, size, blocks())
        store(path, name, utc_today())
    return name


def _count(name: str) -> dict[str, float]:
    """Count the rows of a part; returns seconds, and the memory that this takes beside mapped files."""
    from reports.models import Shard
    from reports.record_files import open_divisions

    version = version_of("bucket")
    mechanism = version.mechanism
    size = BYTES // mechanism.record_dtype("element").itemsize
    shard = Shard(version=version, locale="en_US", stream="element", size=size, file_name=name)
    rows = range(mechanism.divisions // PARTS)
    points = mechanism.points(["😂", "❤️", "👍"])
    open_divisions(shard, mechanism, 0, 1)  # which loads the client of the bucket
    before, began = own_memory(), time.perf_counter()
    records = open_divisions(shard, mechanism, rows.start, rows.stop)
    mechanism.read_out([records], points, rows.start, rows.stop)
    seconds, after = time.perf_counter() - began, own_memory()
    began = time.perf_counter()
    mechanism.read_out([records], points, rows.start, rows.stop)
    floor = time.perf_counter() - began
    return {"seconds": seconds, "floor": floor, "mb": max(0, after - before) / 1e6, "fetched_mb": records.nbytes / 1e6}


if __name__ == "__main__":
    set_up()
    print(json.dumps(_store() if sys.argv[1] == "store" else _count(sys.argv[1])))
