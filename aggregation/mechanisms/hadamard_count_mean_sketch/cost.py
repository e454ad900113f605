"""What a day's reports cost the server, with constants as of `planning.cost`; and which shape suits them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from ...planning import ROWS_AT_ONCE, Wanted, occupied, suggest_shape
from .mechanism import HadamardCountMeanSketch

SECONDS: Final = (0.00241, 1.14e-07, 0, 4.21e-09, 2.89e-09, 4.73e-07)
BYTES: Final = (2.92e06, 153, 89.5)


def second_terms(mechanism: HadamardCountMeanSketch, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what seconds are proportional to: one, reports, no vectors, cells, look-ups, and elements to hash."""
    rows = occupied(mechanism.k, n)
    return [1, n, 0, rows * mechanism.m, rows * dictionary_size, dictionary_size]


def memory_terms(mechanism: HadamardCountMeanSketch, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what memory is proportional to: one, elements, and rows that are held at once."""
    return [1, dictionary_size, min(occupied(mechanism.k, n), ROWS_AT_ONCE)]


def split(epsilon: Decimal) -> dict[str, Decimal]:
    return {"epsilon": epsilon}


def suggest(losses: Mapping[str, Decimal], wanted: Wanted) -> dict[str, Decimal | int | str]:
    epsilon = losses["epsilon"]
    k, m = suggest_shape(HadamardCountMeanSketch.algorithm, float(epsilon), wanted, vectors=False)
    return {"epsilon": epsilon, "k": k, "m": m}
