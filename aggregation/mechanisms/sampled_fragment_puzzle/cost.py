"""Cost of a day's reports to the server, with constants as of `planning.cost`; and which shape suits them."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from math import prod
from typing import Final

from ...planning import Wanted, occupied
from ...registry import num_keys
from ..fragment_puzzle import MAX_CELLS, MAX_ROWS
from ..local_hashing import cost as buckets
from ..sketch_cost import split
from .mechanism import SampledFragmentPuzzle
from .parameters import SHARE

__all__ = ["BYTES", "SECONDS", "memory_terms", "second_terms", "split", "suggest"]

LENGTH: Final = 10

SECONDS: Final = (0.101, 8.29e-08, 0, 1.32e-09, 8.19e-10, 5.18e-07)
BYTES: Final = (1.83e07, 94.3, 0.984)


def second_terms(mechanism: SampledFragmentPuzzle, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what seconds are proportional to: one, reports, their bytes, cells, look-ups, and elements to hash."""
    keys, positions = num_keys(letters), len(mechanism.positions)
    (k, _g), (fragment_k, _fragment_g) = mechanism.word_shape, mechanism.fragment_shape
    fragments = round(mechanism.planned_fragments(n) * positions)
    # Each row of the keys is hashed once for all positions.
    look_ups = occupied(fragment_k, fragments) * keys * positions + occupied(k, n - fragments) * dictionary_size
    return [1, n, 0, _cells(mechanism), look_ups, keys + dictionary_size]


def memory_terms(mechanism: SampledFragmentPuzzle, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what memory is proportional to: one, elements, and cells that are held at once."""
    return [1, num_keys(letters) + dictionary_size, _cells(mechanism)]


def suggest(losses: Mapping[str, Decimal], wanted: Wanted) -> dict[str, Decimal | int | str]:
    fragments = float(SHARE)
    k, g = _shape(losses, replace(wanted, n=max(round(wanted.n * (1 - fragments)), 1)))
    # Each position has a part of the reports.
    fragment_k, fragment_g = _shape(losses, replace(wanted, n=max(round(wanted.n * fragments / (LENGTH // 2)), 1)))
    return {
        "epsilon": losses["epsilon"],
        "k": k,
        "g": g,
        "fragment_k": fragment_k,
        "fragment_g": fragment_g,
        "fragment_share": SHARE,
        "length": LENGTH,
    }


def _shape(losses: Mapping[str, Decimal], wanted: Wanted) -> tuple[int, int]:
    """Return what local hashing suggests, with as many rows as a day's sketch may have."""
    planned = buckets.suggest(losses, wanted)
    k, g = int(planned["k"]), int(planned["g"])
    return (min(k, MAX_CELLS // g, MAX_ROWS) if wanted.k is None else k), g


def _cells(mechanism: SampledFragmentPuzzle) -> int:
    return prod(mechanism.word_shape) + len(mechanism.positions) * prod(mechanism.fragment_shape)
