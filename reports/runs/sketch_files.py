"""The sketches of a sealing and locale as a stored file: all cells, and how many reports came from each position.

The shards tell the latter, too, but they expire before the sketches do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.discovery import Sketches
from aggregation.mechanisms import SequenceFragmentPuzzle
from reports.storage import open_array


@dataclass(frozen=True)
class KeptSketches:
    """Sketches, and the reports from each position that they are of."""

    sketches: Sketches
    reports: NDArray[np.int64]


def sketch(mechanism: SequenceFragmentPuzzle, shards: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Count the shards of a sealing and locale, by stream; returns what is to be stored, one item of named parts."""
    cells = Sketches.count(mechanism, shards).flat()
    positions = [mechanism.fragment_stream(position) for position in mechanism.positions]
    stored = np.zeros(1, [("reports", "<i8", (len(positions),)), ("cells", cells.dtype, cells.shape)])
    stored["reports"] = [len(shards.get(stream, ())) for stream in positions]
    stored["cells"] = cells
    return stored


def open_sketches(mechanism: SequenceFragmentPuzzle, name: str) -> KeptSketches:
    """What `sketch` returned, from a file of that name, mapped."""
    stored = open_array(name)
    return KeptSketches(Sketches.from_flat(mechanism, stored["cells"][0]), np.array(stored["reports"][0]))
