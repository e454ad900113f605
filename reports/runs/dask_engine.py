"""A Dask cluster as engine: it is sent records, elements and the library, and needs nothing of the site's but NumPy."""

import ipaddress
import tempfile
import threading
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

import aggregation
from aggregation.mechanisms import Mechanism

CONNECT_SECONDS = 10


class NoCluster(Exception):
    """Absence of a cluster that can be used. Says why."""


class DaskEngine:
    """The workers of a cluster, which are sent the records of a part when it is counted, and the elements once."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._points: tuple[NDArray[Any], Any] | None = None

    @property
    def threads(self) -> int:
        """Parts that the cluster counts at once."""
        return max(1, int(sum(self._client.nthreads().values())))

    def read_out(
        self, mechanism: Mechanism, shards: Sequence[NDArray[Any]], points: NDArray[Any], *part: Any
    ) -> NDArray[np.int64]:
        there = [self._client.scatter(np.array(shard), hash=False) for shard in shards]
        counted = self._client.submit(mechanism.read_out, there, self._sent(points), *part, pure=False, retries=3)
        found: NDArray[np.int64] = counted.result()
        if type(found) is not np.ndarray or found.dtype != np.int64 or found.shape != (len(shards), len(points)):
            raise ValueError("The cluster has returned something else than counts.")
        return found

    def _sent(self, points: NDArray[Any]) -> Any:
        with self._lock:
            if self._points is None or self._points[0] is not points:
                self._points = points, self._client.scatter(points, hash=False)
            return self._points[1]


@contextmanager
def dask_cluster(scheduler: str) -> Iterator[DaskEngine]:
    """Connect to the cluster of a scheduler, such as ``tls://10.0.0.7:8786``. Raises `NoCluster`.

    Certificates are those of distributed's own configuration.
    """
    if not scheduler.startswith("tls://") and not _is_of_this_machine(scheduler):
        # Results are pickles: a program that answered in its place could run anything here.
        raise NoCluster("A scheduler on another machine is reached by tls:// alone.")
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise NoCluster("The package distributed is not installed (requirements-dask.txt).") from None
    try:
        client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NoCluster(f"There is no scheduler at {scheduler} ({type(error).__name__}).") from error
    with client:
        if not client.nthreads():
            raise NoCluster("The cluster has no workers.")
        with tempfile.TemporaryDirectory() as folder:
            client.upload_file(str(_library(Path(folder))))
        yield DaskEngine(client)


def _is_of_this_machine(scheduler: str) -> bool:
    host = urlsplit(scheduler).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _library(folder: Path) -> Path:
    """Return the mathematics as an archive that Python imports from."""
    root, archive = Path(aggregation.__file__).parent, folder / "aggregation.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
        for path in sorted(root.rglob("*.py")):
            written.write(path, path.relative_to(root.parent))
    return archive
