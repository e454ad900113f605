"""Cost of a day's reports of one sketch to the server, and the parameters that suit them."""

from collections.abc import Mapping
from decimal import Decimal

from ..planning import ROWS_AT_ONCE, Wanted, occupied, suggest_shape
from .one_sketch import OneSketch


def second_terms(mechanism: OneSketch, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what seconds are proportional to: one, reports, their bytes, cells, look-ups, and elements to hash."""
    rows = occupied(mechanism.k, n)
    return [1, n, n * mechanism.m / 8, rows * mechanism.m, rows * dictionary_size, dictionary_size]


def memory_terms(mechanism: OneSketch, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what memory is proportional to: one, elements, and rows that are held at once."""
    return [1, dictionary_size, min(occupied(mechanism.k, n), ROWS_AT_ONCE)]


def split(epsilon: Decimal) -> dict[str, Decimal]:
    return {"epsilon": epsilon}


def suggest_sketch(
    algorithm: str, losses: Mapping[str, Decimal], wanted: Wanted, *, vectors: bool
) -> dict[str, Decimal | int | str]:
    k, m = suggest_shape(algorithm, float(losses["epsilon"]), wanted, vectors=vectors)
    return {"epsilon": losses["epsilon"], "k": k, "m": m}
