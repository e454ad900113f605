"""What a day's reports cost the server, with constants as of `planning.cost`; and which shape suits them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from ...planning import ROWS_AT_ONCE, Wanted, occupied, suggest_shape
from .mechanism import CountMeanSketch

SECONDS: Final = (0.00381, 1.69e-07, 2.8e-09, 1.11e-09, 3.27e-09, 1.6e-07)
BYTES: Final = (2.21e06, 176, 330)


def second_terms(mechanism: CountMeanSketch, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what seconds are proportional to: one, reports, their bytes, cells, look-ups, and elements to hash."""
    rows = occupied(mechanism.k, n)
    return [1, n, n * mechanism.m / 8, rows * mechanism.m, rows * dictionary_size, dictionary_size]


def memory_terms(mechanism: CountMeanSketch, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what memory is proportional to: one, elements, and rows that are held at once."""
    return [1, dictionary_size, min(occupied(mechanism.k, n), ROWS_AT_ONCE)]


def split(epsilon: Decimal) -> dict[str, Decimal]:
    return {"epsilon": epsilon}


def suggest(losses: Mapping[str, Decimal], wanted: Wanted) -> dict[str, Decimal | int | str]:
    epsilon = losses["epsilon"]
    k, m = suggest_shape(CountMeanSketch.algorithm, float(epsilon), wanted, vectors=True)
    return {"epsilon": epsilon, "k": k, "m": m}
