"""Storing what a part found, once, whoever delivers it first."""

from typing import Any

from django.db import transaction
from numpy.typing import NDArray

from aggregation.mechanisms.sequence_fragment_puzzle import WORDS
from reports.jobs import hand_in
from reports.models import Part, ReadOut, Sealing
from reports.models.uploads import utc_today
from reports.runs.steps import Result
from reports.storage import commit, delete_uncommitted, new_name, reserve, spool_folder, store, write_array


def commit_result(part: Part, result: Result) -> None:
    """Store a result and mark its part as finished."""
    if result.array is None:
        hand_in(part, facts=result.facts)
        return
    is_sketch = part.step == Part.Step.SKETCH
    name = new_name("read-outs" if is_sketch else "parts")
    reserve([name])
    try:
        _write(name, result.array, part.sealing)
        with transaction.atomic():
            kept = hand_in(part, file_name="" if is_sketch else name, facts=result.facts)
            if kept and is_sketch:
                kept = _keep_sketches(part, name)
            if kept:
                commit([name])
    except BaseException:
        delete_uncommitted([name])
        raise
    if not kept:  # somebody took the lease over, or another run needed the same sketches, and was faster
        delete_uncommitted([name])


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
