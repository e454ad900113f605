"""Cost of a day's reports to the server, with constants as of `planning.cost`; and which shape suits them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

import numpy as np

from ...planning import Wanted, enough_rows, fewer_rows
from ..sketch_cost import memory_terms, second_terms, split
from .parameters import FEWEST, MOST, best_buckets
from .server import Debiased

__all__ = ["BYTES", "SECONDS", "memory_terms", "second_terms", "split", "suggest"]

# The third is of reports times buckets: the cells of reports in rows of many buckets are far from each other.
SECONDS: Final = (0.0141, 7.79e-08, 3.07e-10, 4.32e-10, 3.34e-09, 8.37e-08)
BYTES: Final = (2.17e06, 142, 167)


def suggest(losses: Mapping[str, Decimal], wanted: Wanted) -> dict[str, Decimal | int | str]:
    epsilon = losses["epsilon"]
    g = best_buckets(float(epsilon)) if wanted.g is None else wanted.g
    k = wanted.k
    if k is None and g < FEWEST:
        k = FEWEST
    elif k is None:
        # The noise of a million reports about as many elements.
        noise = float(Debiased(epsilon, MOST, g).variance(np.zeros(1), 10**6, 1e6)[0]) / 1e6
        k = fewer_rows(wanted, enough_rows(noise, g, wanted.n, wanted.sum_of_squares), g)
    return {"epsilon": epsilon, "k": k, "g": g}
