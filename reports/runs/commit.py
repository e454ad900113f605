"""Storing what a part found, once, whoever delivers it first."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from numpy.typing import NDArray

from aggregation.mechanisms.sequence_fragment_puzzle import WORDS
from reports.models import Part, ReadOut, Sealing
from reports.models.uploads import utc_today
from reports.runs.steps import Result
from reports.storage import commit, delete_uncommitted, new_name, reserve, spool_folder, store, write_array


def commit_result(part: Part, result: Result) -> None:
    """Store a result and mark its part as finished."""
    if result.array is None:
        _finish(part, "", result.facts)
        return
    is_sketch = part.step == Part.Step.SKETCH
    name = new_name("read-outs" if is_sketch else "parts")
    reserve([name])
    try:
        _write(name, result.array, part.sealing)
        with transaction.atomic():
            kept = _finish(part, "" if is_sketch else name, result.facts)
            if kept and is_sketch:
                kept = _keep_sketches(part, name)
            if kept:
                commit([name])
    except BaseException:
        delete_uncommitted([name])
        raise
    if not kept:  # somebody took the lease over, or another run needed the same sketches, and was faster
        delete_uncommitted([name])


def _finish(part: Part, file_name: str, facts: dict[str, Any]) -> bool:
    """Whether it was not finished before."""
    finished = Part.objects.filter(pk=part.pk, finished_at=None).update(
        file_name=file_name, facts=part.facts | facts, finished_at=timezone.now(), lease_expires_at=None
    )
    return bool(finished)


def _keep_sketches(part: Part, name: str) -> bool:
    """Make the read-out of a sealing, unless another run has."""
    version, sealing = part.run.version, part.sealing
    if sealing is None:
        raise LookupError("A part that sketches has no sealing.")
    reports = part.run.shards.get(sealing=sealing, locale=part.locale, stream=WORDS)
    read_out = ReadOut(
        version=version, locale=part.locale, day=sealing.day, sealing=sealing, n=reports.size, file_name=name
    )
    ReadOut.objects.bulk_create([read_out], ignore_conflicts=True)
    return ReadOut.objects.filter(file_name=name).exists()


def _write(name: str, array: NDArray[Any], sealing: Sealing | None) -> None:
    with spool_folder() as folder:
        path = folder / "part.npy"
        write_array(path, array.dtype, array.size, [array.reshape(-1)])
        store(path, name, utc_today() if sealing is None else sealing.day)
