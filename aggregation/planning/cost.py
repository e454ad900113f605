"""What a day's reports cost the server: a model with constants that were measured once.

Constants of ``python -m benchmarks.cost_model`` on one core of a small x86-64 server, November 2026, with Python 3.11.
Another machine may take half or twice the time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..errors import ParameterError
from ..mechanisms import Mechanism, SequenceFragmentPuzzle
from ..mechanisms.count_mean_sketch import CountMeanSketch
from ..mechanisms.one_sketch import OneSketch
from .expectation import LETTERS

__all__ = ["LETTERS", "Cost", "estimate_cost", "memory_terms", "second_terms"]


@dataclass(frozen=True)
class Cost:
    """What the reports of one day take.

    Parameters
    ----------
    seconds : float
        On one core: to receive, check and sort them, and to read out every element. Hash rows are divided among
        workers, so that w cores need little more than 1/w of it.
    memory : float
        Bytes that a worker needs at most, beside the program itself.
    stored : int
        Bytes on disk until they are deleted.
    """

    seconds: float
    memory: float
    stored: int


# Algorithm -> constants of the terms below.
_SECONDS: Final[Mapping[str, tuple[float, ...]]] = {
    "CountMeanSketch": (0.00381, 1.69e-07, 2.8e-09, 1.11e-09, 3.27e-09, 1.6e-07),
    "HadamardCountMeanSketch": (0.00241, 1.14e-07, 0, 4.21e-09, 2.89e-09, 4.73e-07),
    "SequenceFragmentPuzzle": (0.0999, 4.73e-07, 0, 3.11e-08, 7.4e-10, 5.15e-07),
}
_BYTES: Final[Mapping[str, tuple[float, ...]]] = {
    "CountMeanSketch": (2.21e06, 176, 330),
    "HadamardCountMeanSketch": (2.92e06, 153, 89.5),
    "SequenceFragmentPuzzle": (1.64e07, 84.7, 1.13),
}


# As `aggregation.sketches.row_slices`: of so many rows at once it is known where their records are.
_ROWS_AT_ONCE: Final = 2**15


def estimate_cost(mechanism: Mechanism, n: int, dictionary_size: int, letters: int = LETTERS) -> Cost:
    """Estimate what n reports of a day cost the server.

    Parameters
    ----------
    mechanism : Mechanism
        With the parameters that are planned.
    n : int
        Reports of the day, of one locale.
    dictionary_size : int
        Elements that are read out; of words, candidates.
    letters : int
        Of the alphabet, for a mechanism that finds words.

    Returns
    -------
    Cost

    Raises
    ------
    ParameterError
        If the mechanism was not measured.
    """
    if mechanism.algorithm not in _SECONDS:
        raise ParameterError("algorithm", f"There is no cost model of {mechanism.algorithm}.")
    seconds = _sum(_SECONDS[mechanism.algorithm], second_terms(mechanism, n, dictionary_size, letters))
    memory = _sum(_BYTES[mechanism.algorithm], memory_terms(mechanism, n, dictionary_size, letters))
    return Cost(seconds, memory, n * stored_bytes(mechanism))


def stored_bytes(mechanism: Mechanism) -> int:
    """Return how many bytes a report takes on disk, in all streams that have a record of it."""
    element, *others = mechanism.streams
    # A report is in one stream of fragments.
    return sum(mechanism.record_dtype(stream).itemsize for stream in (element, *others[:1]))


def second_terms(mechanism: Mechanism, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what seconds are proportional to: one, reports, their bytes, cells, look-ups, and elements to hash."""
    if isinstance(mechanism, SequenceFragmentPuzzle):
        words, fragments, keys = mechanism.words, mechanism.fragments, _keys(letters)
        own = n // len(mechanism.positions)
        cells = _rows(words, n) * words.m + len(mechanism.positions) * _rows(fragments, own) * fragments.m
        # Each row of the keys is hashed once for all positions.
        look_ups = _rows(fragments, n) * keys * len(mechanism.positions) + _rows(words, n) * dictionary_size
        return [1, n, n * (words.m + fragments.m) / 8, cells, look_ups, keys + dictionary_size]
    sketch = _one(mechanism)
    rows = _rows(sketch, n)
    return [1, n, n * sketch.m / 8 * _has_vectors(sketch), rows * sketch.m, rows * dictionary_size, dictionary_size]


def memory_terms(mechanism: Mechanism, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what memory is proportional to: one, elements, and cells that are held at once."""
    if isinstance(mechanism, SequenceFragmentPuzzle):
        words, fragments = mechanism.words, mechanism.fragments
        cells = words.k * words.m + len(mechanism.positions) * fragments.k * fragments.m
        return [1, _keys(letters) + dictionary_size, cells]
    sketch = _one(mechanism)
    return [1, dictionary_size, min(_rows(sketch, n), _ROWS_AT_ONCE)]


def _sum(constants: tuple[float, ...], terms: list[float]) -> float:
    return sum(constant * term for constant, term in zip(constants, terms, strict=True))


def _keys(letters: int) -> int:
    return 256 * (letters**2 + letters + 1)


def _rows(sketch: OneSketch, n: int) -> float:
    """Return in how many rows there are reports, on average; the others cost nothing."""
    return sketch.k * (1 - (1 - 1 / sketch.k) ** n)


def _has_vectors(sketch: OneSketch) -> bool:
    """Whether a report has a bit for every bucket."""
    return isinstance(sketch, CountMeanSketch)


def _one(mechanism: Mechanism) -> OneSketch:
    if not isinstance(mechanism, OneSketch):
        raise ParameterError("algorithm", f"There is no cost model of {mechanism.algorithm}.")
    return mechanism
