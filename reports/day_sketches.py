"""Sketches of a closed day, as they are stored for as long as its counts are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggregation.discovery import Sketches
from aggregation.registry import DiscoveryMechanism
from reports.storage import open_array


@dataclass(frozen=True)
class KeptSketches:
    """Sketches, and the reports from each position that they are of."""

    sketches: Sketches
    reports: NDArray[np.int64]


def sketch_day(mechanism: DiscoveryMechanism, shards: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Count shards by stream; returns what is to be stored: all cells, and how many reports came from each position.

    The shards tell the latter, too, but they expire before the sketches do.
    """
    cells = Sketches.count(mechanism, shards).flat()
    positions = [mechanism.fragment_stream(position) for position in mechanism.positions]
    stored = np.zeros(1, [("reports", "<i8", (len(positions),)), ("cells", cells.dtype, cells.shape)])
    stored["reports"] = [len(shards.get(stream, ())) for stream in positions]
    stored["cells"] = cells
    return stored


def open_sketches(mechanism: DiscoveryMechanism, name: str) -> KeptSketches:
    """Map sketches that were stored under a name."""
    stored = open_array(name)
    return KeptSketches(Sketches.from_flat(mechanism, stored["cells"][0]), np.array(stored["reports"][0]))
