"""The sketches of a day: one of words and one of the fragments from each position, as one array that can be kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError
from ..mechanisms import CountMeanSketch, SequenceFragmentPuzzle
from ..mechanisms.sequence_fragment_puzzle import WORDS
from ..sketches import add_ones


@dataclass(frozen=True, eq=False)
class Sketches:
    """The exact one-bits of every cell of P + 1 sketches; those of several days add.

    Parameters
    ----------
    words : ndarray of unsigned integers, shape (k, m)
        The sketch of words.
    fragments : ndarray of unsigned integers, shape (P, k', m')
        That of the fragments from each of the P positions.
    """

    words: NDArray[Any]
    fragments: NDArray[Any]

    @classmethod
    def count(cls, mechanism: SequenceFragmentPuzzle, shards: Mapping[str, NDArray[Any]]) -> Self:
        """Count a day's records.

        Parameters
        ----------
        mechanism : SequenceFragmentPuzzle
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
        words = _count(mechanism.words, shards.get(WORDS))
        fragments = [
            _count(mechanism.fragments, shards.get(mechanism.fragment_stream(position)))
            for position in mechanism.positions
        ]
        widest = np.result_type(words, *fragments)
        return cls(words.astype(widest, copy=False), np.stack(fragments, dtype=widest))

    def flat(self) -> NDArray[Any]:
        """Return all cells as one array of their type: words first, then position by position, each row by row."""
        return np.concatenate([self.words.reshape(-1), self.fragments.reshape(-1)])

    @classmethod
    def from_flat(cls, mechanism: SequenceFragmentPuzzle, cells: NDArray[Any]) -> Self:
        """Return the sketches in an array of `flat`, as views. Raises a ParameterError if it is of another size."""
        words, fragments = mechanism.words, mechanism.fragments
        shape = (len(mechanism.positions), fragments.k, fragments.m)
        split = words.k * words.m
        if cells.shape != (split + shape[0] * shape[1] * shape[2],):
            raise ParameterError("k", f"{cells.shape} cells are not those of these sketches.")
        return cls(cells[:split].reshape(words.k, words.m), cells[split:].reshape(shape))


def _count(sketch: CountMeanSketch, records: NDArray[Any] | None) -> NDArray[Any]:
    cells = np.zeros((sketch.k, sketch.m), np.int32)
    if records is not None:
        add_ones(cells, records)
    return cells.astype(np.min_scalar_type(int(cells.max(initial=0))))
