"""What stands beside the results: raw reports, runs, batches, and what people did."""

from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import connection
from numpy.typing import NDArray

from benchmarks.pages import definitions
from benchmarks.pages.binary import Copy
from benchmarks.pages.sizes import KEPT_DAYS, REPORTS_PER_DAY, Size, Year
from reports.models import (
    Annotation,
    Batch,
    DictionaryRevision,
    Part,
    Run,
    SavedView,
    Shard,
    UseCase,
    Version,
    Viewing,
)

PARTS = 4


def _random_uuids(rng: np.random.Generator, count: int) -> NDArray[Any]:
    return np.frombuffer(rng.bytes(16 * count), dtype="V16")


def copy_shards(size: Size, years: list[Year]) -> None:
    """Of the days whose raw reports are kept; the files are not there, and no page opens them."""
    kept = min(KEPT_DAYS, size.days)
    days = np.array(size.all_days, dtype="datetime64[D]")[-kept:]
    sealing = np.arange(size.days - kept, size.days)
    rng = np.random.default_rng(1)
    names = iter(range(10**9))
    with Copy(Shard, "id", "version_id", "locale", "day", "stream", "sealing_id", "size", "file_name") as copy:
        for year in years:
            for stream in year.version.mechanism.streams:
                copy.write(
                    id=_random_uuids(rng, kept),
                    version_id=year.version.pk,
                    locale=year.locale,
                    day=days,
                    stream=stream,
                    sealing_id=year.first_sealing + sealing,
                    size=REPORTS_PER_DAY,
                    file_name=np.array([f"shards/{next(names):040x}.npy".encode() for _ in range(kept)]),
                )


def copy_runs(size: Size, versions: list[Version]) -> None:
    """A finished run for each day; of the first use case one under way, of the second the last has failed."""
    rng = np.random.default_rng(2)
    days = np.array(size.all_days, dtype="datetime64[D]")
    times = (days + np.timedelta64(1, "D")).astype("datetime64[us]")
    ids = [_random_uuids(rng, size.days) for _ in versions]
    revisions = dict(DictionaryRevision.objects.values_list("version_id", "pk"))
    columns = "id version_id revision_id first_day last_day state failure created_at started_at planned_at finished_at"
    with Copy(Run, *columns.split()) as copy:
        for version, of_version in zip(versions, ids, strict=True):
            copy.write(
                id=of_version,
                version_id=version.pk,
                revision_id=revisions.get(version.pk),
                # Words are looked for in a week.
                first_day=days if version.discovery is None else days - np.timedelta64(6, "D"),
                last_day=days,
                state=Run.State.FINISHED.value,
                failure="",
                created_at=times,
                started_at=times + np.timedelta64(1, "s"),
                planned_at=times + np.timedelta64(2, "s"),
                finished_at=times + np.timedelta64(60, "s"),
            )
    with Copy(Part, "run_id", "start_row", "stop_row", "attempts", "finished_at") as copy:
        for of_version in ids:
            for part in range(PARTS):
                copy.write(
                    run_id=of_version,
                    start_row=part * 1000,
                    stop_row=(part + 1) * 1000,
                    attempts=1,
                    finished_at=times + np.timedelta64(30, "s"),
                )
    Run.objects.filter(pk=versions[0].runs.latest("created_at").pk).update(state=Run.State.RUNNING, finished_at=None)
    failed = versions[1 % len(versions)].runs.latest("created_at")
    Run.objects.filter(pk=failed.pk).update(state=Run.State.FAILED, failure="The disk was full.")


def copy_the_rest(size: Size, versions: list[Version]) -> None:
    """Batches, annotations, views that people saved, and who looked."""
    visitor = User.objects.get(username=definitions.VISITOR)
    rng = np.random.default_rng(3)
    days = np.array(size.all_days, dtype="datetime64[D]")
    with Copy(Batch, "id", "day", "state", "accepted", "rejected", "use_case_ids") as copy:
        for version in versions:
            copy.write(
                id=_random_uuids(rng, size.days),
                day=days,
                state=Batch.State.SEALED.value,
                accepted=REPORTS_PER_DAY * size.locales,
                rejected={},
                use_case_ids=np.array([[version.use_case_id]]),
            )
    with Copy(Viewing, "user_id", "use_case_id", "what", "at") as copy:
        for version in versions:
            copy.write(user_id=visitor.pk, use_case_id=version.use_case_id, what="page", at=days)
    use_cases: list[UseCase | None] = [None, *(version.use_case for version in versions)]
    Annotation.objects.bulk_create(
        Annotation(use_case=use_case, day=day, text="Something was released")
        for use_case in use_cases
        for day in size.all_days[:: max(1, size.days // 12)]
    )
    SavedView.objects.bulk_create(
        SavedView(
            owner=visitor,
            name=f"View {number:03d}",
            use_case=version.use_case,
            page=SavedView.Page.EXPLORE,
            query=f"locale={size.names[-1]}",
        )
        for number, version in enumerate(versions)
    )


def reset_sequences() -> None:
    """Rows were numbered here; the next have to go on from there."""
    with connection.cursor() as cursor:
        for table in ("reports_histogram", "reports_period", "reports_sealing"):
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}")  # noqa: S608
