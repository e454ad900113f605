"""Cost of a day's reports to the server, with constants as of `planning.cost`; and which shape suits them."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Final

from ...planning import Wanted, occupied, suggest_shape
from ...registry import num_keys
from ..count_mean_sketch import CountMeanSketch
from ..fragment_puzzle import MAX_CELLS, MAX_ROWS
from .mechanism import SequenceFragmentPuzzle

# The part of ε that a word has beside its two letters is a quarter, which is a choice and not proved to be best.
# Letters are spread over all places of a word and all puzzle bytes, so they need the larger part.
WORDS_PART: Final = 4
LENGTH: Final = 10
_STEP: Final = Decimal("0.001")

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


def split(epsilon: Decimal) -> dict[str, Decimal]:
    words = max((epsilon / WORDS_PART).quantize(_STEP), _STEP)
    return {"epsilon": words, "fragment_epsilon": max(epsilon - words, _STEP)}


def suggest(losses: Mapping[str, Decimal], wanted: Wanted) -> dict[str, Decimal | int | str]:
    words, fragments = losses["epsilon"], losses["fragment_epsilon"]
    k, m = _shape(words, wanted)
    # Each position has a part of the reports.
    fragment_k, fragment_m = _shape(fragments, replace(wanted, n=max(wanted.n // (LENGTH // 2), 1)))
    return {
        "epsilon": words,
        "k": k,
        "m": m,
        "fragment_epsilon": fragments,
        "fragment_k": fragment_k,
        "fragment_m": fragment_m,
        "length": LENGTH,
    }


def _shape(epsilon: Decimal, wanted: Wanted) -> tuple[int, int]:
    return suggest_shape(
        CountMeanSketch.algorithm, float(epsilon), wanted, vectors=True, most_cells=MAX_CELLS, most_rows=MAX_ROWS
    )
