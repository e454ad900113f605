"""Cost of a day's reports to the server, with constants as of `planning.cost`; and which subsets suit them."""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

import numpy as np

from ...planning import Wanted
from .encoding import MARKS
from .mechanism import SubsetSelection
from .parameters import best_subset
from .server import Debiased

SECONDS: Final = (0.00353, 3.25e-08, 5.32e-08, 3.2e-06)
BYTES: Final = (1e6, 500.0, 20.0)

_CLEARLY: Final = 1.01


def second_terms(mechanism: SubsetSelection, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what seconds are proportional to: one, reports, the elements in their subsets, and elements to look up."""
    return [1, n, n * mechanism.w, dictionary_size]


def memory_terms(mechanism: SubsetSelection, n: int, dictionary_size: int, letters: int) -> list[float]:
    """Return what memory is proportional to: one, elements, and those of the subsets that are read at once."""
    return [1, dictionary_size, min(n, MARKS // (8 * mechanism.report_bytes)) * mechanism.w]


def split(epsilon: Decimal) -> dict[str, Decimal]:
    return {"epsilon": epsilon}


def suggest(losses: Mapping[str, Decimal], wanted: Wanted) -> dict[str, Decimal | int | str]:
    size, odds = wanted.size, math.exp(float(losses["epsilon"]))

    def noise(w: int) -> float:
        own = w * odds / (w * odds + size - w)
        return float(Debiased(size, w, own).variance(np.zeros(1), 1, 1.0)[0])

    w = best_subset(float(losses["epsilon"]), size)
    # Of few elements one less than the nearest integer may be better by some percent.
    if w > 1 and noise(w) > _CLEARLY * noise(w - 1):
        w -= 1
    return {"epsilon": losses["epsilon"], "size": size, "w": w}
