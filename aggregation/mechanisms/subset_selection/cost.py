"""Cost of a day's reports to the server, with constants as of `planning.cost`; and which subsets suit them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from ...planning import Wanted
from .encoding import MARKS
from .mechanism import SubsetSelection
from .parameters import best_subset

SECONDS: Final = (0.00353, 3.25e-08, 5.32e-08, 3.2e-06)
BYTES: Final = (1e6, 500.0, 20.0)


def second_terms(mechanism: SubsetSelection, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what seconds are proportional to: one, reports, the elements in their subsets, and elements to look up."""
    return [1, n, n * mechanism.w, dictionary_size]


def memory_terms(mechanism: SubsetSelection, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what memory is proportional to: one, elements, and those of the subsets that are read at once."""
    return [1, dictionary_size, min(n, MARKS // (8 * mechanism.report_bytes)) * mechanism.w]


def split(epsilon: Decimal) -> dict[str, Decimal]:
    return {"epsilon": epsilon}


def suggest(losses: Mapping[str, Decimal], wanted: Wanted) -> dict[str, Decimal | int | str]:
    w = best_subset(float(losses["epsilon"]), wanted.size) if wanted.w is None else wanted.w
    return {"epsilon": losses["epsilon"], "size": wanted.size, "w": w}
