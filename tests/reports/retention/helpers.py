"""Helpers of tests of retention: reports in all places, and checks of what is left of them."""

import datetime
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np

from reports.models import Batch, DeviceRecord, PendingFile, QuarantinedShard, Version
from reports.pending_files import commit, reserve
from reports.simulation import Fleet, Shares
from reports.storage import new_name, spool_folder, store, write_array
from tests.reports.factories import stored_files
from tests.reports.small_fleet import FRUITS, PROBABILITIES, days_ago


@contextmanager
def days_later(days: int) -> Iterator[None]:
    """Set the day that the site takes for today as many days later."""
    today = days_ago(-days)
    collection = ("ingest.receive", "ingest.store", "quarantine")
    retention = ("retention.deleting", "retention.inventory")
    others = ("models.uploads", "runs.ordering", "pending_files")
    with ExitStack() as patches:
        for place in (*(f"collection.{name}" for name in collection), *retention, *others):
            patches.enter_context(mock.patch(f"reports.{place}.utc_today", return_value=today))
        yield


def wait_from_device(version: Version, reports: int, day: datetime.date, locale: str = "en_US") -> None:
    """Records of single devices that wait."""
    fleet = Fleet(version, Shares("en_US", FRUITS, np.array(PROBABILITIES)), np.random.default_rng(1))
    (sent,) = (json.loads(text)["segments"][0]["records"] for text in fleet.documents(reports))
    parsed = version.mechanism.parse_records(sent)
    DeviceRecord.objects.bulk_create(
        DeviceRecord(version=version, locale=locale, stream=stream, day=day, record=record.tobytes())
        for stream, records in parsed.streams.items()
        for record in records
    )


def quarantine(day: datetime.date, locale: str = "en_US", **versions: tuple[Version, int]) -> Batch:
    """A batch in quarantine with so many reports for each version, in files."""
    batch = Batch.objects.create(
        day=day,
        state=Batch.State.QUARANTINED,
        accepted=sum(size for _version, size in versions.values()),
        use_case_ids=sorted(version.use_case_id for version, _size in versions.values()),
    )
    for version, size in versions.values():
        name = new_name("shards")
        reserve([name])
        with spool_folder() as folder:
            write_array(folder / "q.npy", np.dtype("u1"), size, [np.zeros(size, "u1")])
            store(folder / "q.npy", name, day)
        QuarantinedShard.objects.create(
            batch=batch,
            version=version,
            locale=locale,
            stream=version.mechanism.streams[0],
            size=size,
            file_name=name,
        )
        commit([name])
    return batch


def raw_files() -> set[str]:
    return {name for name in stored_files() if name.startswith("shards/")}


def assert_no_raw_data(version: Version) -> None:
    assert not version.shards.exists()
    assert not version.quarantined_shards.exists()
    assert not version.device_records.exists()
    assert not raw_files()
    assert not PendingFile.objects.exists()
