"""What a day's reports cost the server; constants as of `planning.cost`."""

from typing import Final

from ...planning import occupied
from .mechanism import SequenceFragmentPuzzle
from .server import num_keys

SECONDS: Final = (0.0999, 4.73e-07, 0, 3.11e-08, 7.4e-10, 5.15e-07)
BYTES: Final = (1.64e07, 84.7, 1.13)


def second_terms(mechanism: SequenceFragmentPuzzle, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what seconds are proportional to: one, reports, their bytes, cells, look-ups, and elements to hash."""
    words, fragments, keys = mechanism.words, mechanism.fragments, num_keys(letters)
    own = n // len(mechanism.positions)
    cells = occupied(words.k, n) * words.m + len(mechanism.positions) * occupied(fragments.k, own) * fragments.m
    # Each row of the keys is hashed once for all positions.
    look_ups = occupied(fragments.k, n) * keys * len(mechanism.positions) + occupied(words.k, n) * dictionary_size
    return [1, n, n * (words.m + fragments.m) / 8, cells, look_ups, keys + dictionary_size]


def memory_terms(mechanism: SequenceFragmentPuzzle, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what memory is proportional to: one, elements, and cells that are held at once."""
    words, fragments = mechanism.words, mechanism.fragments
    cells = words.k * words.m + len(mechanism.positions) * fragments.k * fragments.m
    return [1, num_keys(letters) + dictionary_size, cells]
