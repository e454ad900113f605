"""Objects to be read: fleets' reports in files of every form."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from django.core.files.storage import storages
from pyarrow import parquet

from reports.bulk import start_import
from reports.bulk.buckets import client
from reports.jobs import finish_inline
from reports.models import Import, Version
from reports.simulation import Fleet, Shares
from tests.reports.small_fleet import FRUITS, PROBABILITIES
from tests.s3 import S3Server


def documents(version: Version, reports: int, *, locale: str = "en_US", seed: int = 0) -> bytes:
    fleet = Fleet(version, Shares(locale, FRUITS, np.array(PROBABILITIES)), np.random.default_rng(seed))
    return ("\n".join(fleet.documents(reports)) + "\n").encode()


def columns(version: Version, reports: int, *, locale: str = "en_US", seed: int = 0) -> dict[str, list[Any]]:
    """Return the columns of a table with the same reports."""
    import json

    segments = [
        json.loads(line)["segments"] for line in documents(version, reports, locale=locale, seed=seed).splitlines()
    ]
    rows = [(each, record) for found in segments for each in found for record in each["records"]]
    keys = {name: [each[name] for each, _record in rows] for name in ("use_case", "locale", "algorithm")}
    parameters = [json.dumps(each["parameters"]) for each, _record in rows]
    return {**keys, "parameters": parameters, "record": [record for _each, record in rows]}


def write_parquet(path: Path, rows: dict[str, list[Any]], **options: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table(rows), path, **options)


def read(address: str | Path, **options: Any) -> Import:
    """Read what is new at an address, here."""
    return finish_inline(start_import(f"{address}/", ring=False, **options))


@pytest.fixture
def lake(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, str]]:
    """The test's bucket, with Amazon's client, as the environment says; and the address of a part of it."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3.storage["OPTIONS"]["endpoint_url"])
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    client.cache_clear()
    yield client(), f"s3://{storages['shards'].bucket_name}/lake"  # type: ignore[attr-defined]
    client.cache_clear()
