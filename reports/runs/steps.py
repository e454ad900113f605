"""What a part does, by its step: from stored files to an array, and what is said of it beside."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.models import DictionaryRevision, Part
from reports.runs.cutting import dictionary_of, ordered_shards
from reports.runs.discovery_steps import find_words, is_sketched, read_fragments_of_rows, sketch_sealing
from reports.storage import open_array


@dataclass(frozen=True)
class Result:
    """What a part hands in. No array: what it was to make is there already."""

    array: NDArray[Any] | None
    facts: dict[str, Any] = field(default_factory=dict)


def result_of(part: Part) -> Result:
    """Do the work of a part; nothing is stored."""
    if part.step == Part.Step.SKETCH:
        return Result(None if is_sketched(part) else sketch_sealing(part))
    if part.step == Part.Step.FRAGMENTS:
        return Result(read_fragments_of_rows(part))
    if part.step == Part.Step.WORDS:
        return Result(*find_words(part))
    return Result(_read_out(part))


@lru_cache(maxsize=4)
def _points(revision_id: int) -> NDArray[Any]:
    """Hash points of a dictionary. A revision never changes, and all parts of a run need the same."""
    revision = DictionaryRevision.objects.select_related("version").get(pk=revision_id)
    return revision.version.mechanism.points(revision.elements())


def _read_out(part: Part) -> NDArray[np.int64]:
    shards, points = ordered_shards(part.run)[part.start_shard : part.stop_shard], _points(dictionary_of(part.run).pk)
    mechanism = part.run.version.mechanism
    found = np.empty((len(shards), len(points)), np.int64)
    for stream in {shard.stream for shard in shards}:
        places = [place for place, shard in enumerate(shards) if shard.stream == stream]
        arrays = [open_array(shards[place].file_name) for place in places]
        found[places] = mechanism.read_out(arrays, points, part.start_row, part.stop_row, stream)
    return found
