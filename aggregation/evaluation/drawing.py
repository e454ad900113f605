"""Read-outs of repetitions: reports simulated one by one, or drawn at once where a mechanism has a way."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ..arrays import Array, Integers
from ..encoding import sort_records
from ..registry import DrawingPart, Mechanism, distribution_of

# Reports whose parts are held at once.
_BLOCK: Final = 100_000


def can_draw(mechanism: Mechanism) -> bool:
    """Tell whether a mechanism's package can draw read-outs without single reports."""
    return isinstance(distribution_of(mechanism), DrawingPart)


def draw(mechanism: Mechanism, points: Array, counts: Integers, rngs: Sequence[np.random.Generator]) -> Integers:
    """Draw read-outs of P independent populations by their exact distribution, shape (P, D) as their counts."""
    part: Any = distribution_of(mechanism)
    drawn: Integers = part.draw(mechanism, points, counts, rngs)
    return drawn


def simulate(
    mechanism: Mechanism, elements: Sequence[str], points: Array, counts: Integers, rng: np.random.Generator
) -> Integers:
    """Return read-outs of a fleet whose reports are privatised one by one, sorted and counted as uploads are.

    Parameters
    ----------
    elements : sequence of D str
        All that may be reported.
    points : ndarray, first axis of length D
        ``mechanism.points`` of them.
    counts : ndarray of int64, shape (D,)
        How many devices report each.
    rng : numpy.random.Generator
        Draws all noise.

    Returns
    -------
    ndarray of int64, shape (D,)
    """
    index = np.repeat(np.arange(len(counts)), counts)
    streams: dict[str, list[Array]] = {}
    for start in range(0, len(index), _BLOCK):
        # A block reports a part of a large dictionary, and each element has to be hashed.
        places, own = np.unique(index[start : start + _BLOCK], return_inverse=True)
        parts = mechanism.privatize_fleet([elements[place] for place in places.tolist()], own, rng)
        for stream, records in mechanism.split(parts).items():
            streams.setdefault(stream, []).append(records)
    total = np.zeros(len(counts), np.int64)
    for stream in mechanism.report_streams:
        if found := streams.get(stream):
            shard = sort_records(np.concatenate(found, dtype=mechanism.record_dtype(stream)))
            total += mechanism.read_out([shard], points, 0, mechanism.divisions, stream)[0]
    return total
