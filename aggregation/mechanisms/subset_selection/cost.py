"""Cost of a day's reports to the server, with constants as of `planning.cost`; and which subsets suit them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from ...planning import Wanted
from .mechanism import SubsetSelection
from .parameters import best_subset

SECONDS: Final = (0.001, 1e-7, 1e-8, 1e-7)
BYTES: Final = (1e6, 200.0)


def second_terms(mechanism: SubsetSelection, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what seconds are proportional to: one, reports, the elements in their subsets, and elements to look up."""
    return [1, n, n * mechanism.w, dictionary_size]


def memory_terms(mechanism: SubsetSelection, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what memory is proportional to: one, and elements; subsets are read a block at a time."""
    return [1, dictionary_size]


def split(epsilon: Decimal) -> dict[str, Decimal]:
    return {"epsilon": epsilon}


def suggest(losses: Mapping[str, Decimal], wanted: Wanted) -> dict[str, Decimal | int | str]:
    size = wanted.size
    w = best_subset(float(losses["epsilon"]), size)
    return {"epsilon": losses["epsilon"], "size": size, "w": w}
