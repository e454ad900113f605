"""Results of parts, each stored once: the first that is delivered."""

from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from numpy.typing import NDArray

from reports.jobs import hand_in
from reports.models import Part, ReadOut
from reports.models.uploads import utc_today
from reports.pending_files import commit, reserved
from reports.storage import new_name, store_array


@dataclass(frozen=True)
class Result:
    """Result that a part hands in. No array: what it was to make is there already."""

    array: NDArray[Any] | None
    facts: dict[str, Any] = field(default_factory=dict)


def commit_result(part: Part, result: Result) -> None:
    """Store a result and mark its part as finished."""
    if result.array is None:
        hand_in(part, facts=result.facts)
        return
    is_sketch = part.step == Part.Step.SKETCH
    name = new_name("read-outs" if is_sketch else "parts")
    with reserved([name]):
        store_array(result.array, name, utc_today() if part.sealing is None else part.sealing.day)
        with transaction.atomic():
            # Another worker may have taken the lease over, or another run needed the same sketches, and was faster.
            if hand_in(part, file_name="" if is_sketch else name, facts=result.facts):
                if not is_sketch or _keep_sketches(part, name):
                    commit([name])


def _keep_sketches(part: Part, name: str) -> bool:
    """Make the read-out of a sealing, unless another run has."""
    version, sealing = part.run.version, part.sealing
    if sealing is None:
        raise LookupError("A part that sketches has no sealing.")
    sizes = dict(part.run.shards.filter(sealing=sealing, locale=part.locale).values_list("stream", "size"))
    n = version.mechanism.reports_in(sizes)
    read_out = ReadOut(version=version, locale=part.locale, day=sealing.day, sealing=sealing, n=n, file_name=name)
    ReadOut.objects.bulk_create([read_out], ignore_conflicts=True)
    return ReadOut.objects.filter(file_name=name).exists()
