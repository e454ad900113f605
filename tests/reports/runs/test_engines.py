"""Runs that another engine counts. A real cluster is asked by `make engines`."""

import io
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from reports.models import ReadOut, Run
from reports.runs.dask_engine import DaskEngine
from reports.storage import open_array
from tests.reports.small_fleet import aggregate, days_ago, define, forget_results, send

pytestmark = [pytest.mark.exact, pytest.mark.django_db(transaction=True)]


class Client:
    """A cluster of two threads of this process, as Dask's client shows one."""

    workers = 2
    sent: list[Path] = []
    counted = 0

    def __init__(self, address: str, **options: Any) -> None:
        if address == "tls://nowhere:1":
            raise OSError
        self._pool = ThreadPoolExecutor(2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self._pool.shutdown()

    def nthreads(self) -> dict[str, int]:
        return {f"worker {number}": 1 for number in range(self.workers)}

    def upload_file(self, path: str) -> None:
        self.sent.append(Path(path))
        names = zipfile.ZipFile(path).namelist()
        assert "aggregation/__init__.py" in names
        assert not any(name.startswith("reports") for name in names)

    def scatter(self, array: Any, *, hash: bool) -> Any:  # noqa: A002 - as Dask has it
        assert type(array) is np.ndarray  # no file of this machine
        return array

    def submit(self, function: Any, *arguments: Any, pure: bool, retries: int) -> "Future[Any]":
        type(self).counted += 1
        return self._pool.submit(function, *arguments)


@pytest.fixture(autouse=True)
def _dask(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("distributed")
    module.Client = Client  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "distributed", module)
    monkeypatch.setattr(Client, "counted", 0)


def by_dask(scheduler: str) -> None:
    call_command("aggregate", "fruits", engine="dask", scheduler=scheduler, stdout=io.StringIO())


def read_outs() -> list[list[int]]:
    return [open_array(each.file_name).tolist() for each in ReadOut.objects.order_by("day")]


def test_a_cluster_finds_the_same_integers() -> None:
    version = define()
    for days in (1, 2):
        send(version, 300, day=days_ago(days), seed=days)
    aggregate(version)
    expected = read_outs()
    forget_results()
    by_dask("tls://somewhere:1")
    assert read_outs() == expected
    assert Client.counted >= 1
    assert Run.objects.latest("created_at").state == Run.State.FINISHED
    # Sent files are not left here.
    assert not any(path.exists() for path in Client.sent)


def test_without_a_cluster_nothing_is_counted_and_it_is_said_why(monkeypatch: pytest.MonkeyPatch) -> None:
    send(define(), 300, day=days_ago(1))
    with pytest.raises(CommandError, match="no scheduler at tls://nowhere:1"):
        by_dask("tls://nowhere:1")
    monkeypatch.setattr(Client, "workers", 0)
    with pytest.raises(CommandError, match="no workers"):
        by_dask("tls://somewhere:1")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CommandError, match="requirements-dask"):
        by_dask("tls://somewhere:1")
    with pytest.raises(CommandError, match="tls:// alone"):
        by_dask("tcp://127.0.0.1.example.org:1")
    assert not Run.objects.exists()


@pytest.mark.parametrize("change", [lambda counts: counts[:, :1], lambda counts: counts.astype(object)])
def test_a_cluster_that_returns_anything_but_counts_is_not_believed(change: Callable[[Any], Any]) -> None:
    pool = ThreadPoolExecutor(1)
    client = SimpleNamespace(
        scatter=lambda array, **_options: array,
        submit=lambda *_arguments, **_options: pool.submit(change, np.zeros((1, 2), np.int64)),
    )
    with pytest.raises(ValueError, match="something else"):
        DaskEngine(client).read_out(SimpleNamespace(read_out=None), [np.zeros(3)], np.zeros(2), 0, 1, "element")  # type: ignore[arg-type]
