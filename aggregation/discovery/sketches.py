"""The sketches of a day: one of words and one of the fragments from each position, as one array that can be kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Self

import numpy as np

from ..arrays import Array
from ..errors import ParameterError
from ..registry import DiscoveryMechanism, TableMechanism


@dataclass(frozen=True, eq=False)
class Sketches:
    """The exact counts of every cell of P + 1 sketches; those of several days add.

    Parameters
    ----------
    words : ndarray of unsigned integers, shape (k, buckets)
        The sketch of words.
    fragments : ndarray of unsigned integers, shape (P, k', buckets')
        That of the fragments from each of the P positions.
    """

    words: Array
    fragments: Array

    @classmethod
    def count(cls, mechanism: DiscoveryMechanism, shards: Mapping[str, Array]) -> Self:
        """Count a day's records.

        Parameters
        ----------
        mechanism : DiscoveryMechanism
            The one the records were made with.
        shards : mapping of str to structured ndarray
            The sorted records of each stream; one without any may be missing.

        Returns
        -------
        Sketches
            All cells of the narrowest unsigned type that holds them, together.

        Notes
        -----
        One sketch at a time is counted in 32 bits, and narrowed. At the largest, 2^24 cells each and eight positions,
        that is 64 MB beside 150 MB while no cell reaches 256, of which two copies are held for a moment; four times
        that for rows of more than 65,535 reports.
        """
        words = _count(mechanism.words, shards.get(mechanism.word_stream))
        fragments = [
            _count(mechanism.fragments, shards.get(mechanism.fragment_stream(position)))
            for position in mechanism.positions
        ]
        widest = np.result_type(words, *fragments)
        return cls(words.astype(widest, copy=False), np.stack(fragments, dtype=widest))

    def flat(self) -> Array:
        """Return all cells as one array of their type: words first, then position by position, each row by row."""
        return np.concatenate([self.words.reshape(-1), self.fragments.reshape(-1)])

    @classmethod
    def from_flat(cls, mechanism: DiscoveryMechanism, cells: Array) -> Self:
        """Return the sketches in an array of `flat`, as views. Raises a ParameterError if it is of another size."""
        if cells.shape != (num_cells(mechanism),):
            raise ParameterError("k", f"{cells.shape} cells are not those of these sketches.")
        split = prod(mechanism.word_shape)
        fragments = cells[split:].reshape(len(mechanism.positions), *mechanism.fragment_shape)
        return cls(cells[:split].reshape(mechanism.word_shape), fragments)


def num_cells(mechanism: DiscoveryMechanism) -> int:
    """Return how many cells all sketches of a day have."""
    return prod(mechanism.word_shape) + len(mechanism.positions) * prod(mechanism.fragment_shape)


def _count(sketch: TableMechanism, records: Array | None) -> Array:
    state = sketch.empty_state()
    (stream,) = sketch.streams
    if records is not None:
        sketch.add_to_state(state, {stream: records})
    cells = state[stream]
    return cells.astype(np.min_scalar_type(int(cells.max(initial=0))))
