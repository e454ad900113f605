"""Which counts are kept of which mechanism."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..mechanisms import Mechanism, SequenceFragmentPuzzle
from ..mechanisms.count_mean_sketch import CountMeanSketch
from ..mechanisms.hadamard_count_mean_sketch import HadamardCountMeanSketch
from .bits import BitTally
from .evidence import Measured
from .halves import HalvesTally
from .signs import SignTally

Seen = TypeVar("Seen")


class Tally(Protocol[Seen]):
    """Counts over the reports of a client, from which its loss and its faults follow."""

    runs: int

    def read(self, lines: Sequence[str], words: NDArray[np.intp]) -> Seen:
        """Look at good lines about the words 0 or 1, each word an even number of times in a row."""
        ...

    def add(self, seen: Seen) -> None:
        """Count them."""
        ...

    def add_twins(self, one: Seen, other: Seen) -> None:
        """Compare what two clients, each started anew, sent in the same order."""
        ...

    def loss(self) -> Measured:
        """The loss by the events that measure it best at this ε."""
        ...

    def faults(self) -> set[str]:
        """What is wrong, by name."""
        ...


def tally_of(mechanism: Mechanism, elements: Sequence[str]) -> Tally[Any]:
    """Return empty counts for a mechanism and two elements; raises a TypeError for a mechanism without an audit."""
    if isinstance(mechanism, CountMeanSketch):
        return BitTally(mechanism, elements)
    if isinstance(mechanism, HadamardCountMeanSketch):
        return SignTally(mechanism, elements)
    if isinstance(mechanism, SequenceFragmentPuzzle):
        return HalvesTally(mechanism, elements)
    raise TypeError(f"There is no audit of {mechanism.algorithm}.")
