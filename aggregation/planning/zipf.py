"""Laws of Zipf: the r-th most frequent of D elements has a share p_r ∝ r^-s."""

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from ..arrays import Floats, Integers
from ..errors import ParameterError

# The first ranks one by one, the others by groups of ranks that differ by less than two in a thousand.
_SINGLE: Final = 2048
_RATIO: Final = 1.002


class Frequencies(NamedTuple):
    """Shares, and how many elements have each of them.

    Parameters
    ----------
    shares : ndarray of float64, shape (B,)
        The largest first.
    numbers : ndarray of int64, shape (B,)
        These sum to D, and ``shares @ numbers`` is 1.
    """

    shares: Floats
    numbers: Integers

    @property
    def sum_of_squares(self) -> float:
        """Σp² over all elements: F2/n²."""
        return float(self.shares**2 @ self.numbers)


# The planner asks for one law a thousand times in a row.
@lru_cache(maxsize=4)
def zipf_frequencies(dictionary_size: int, exponent: float) -> Frequencies:
    """Return the shares p_r ∝ r^-s of D elements, the ranks above 2,048 in groups, so that large D costs little.

    Ranks of a group, of which the last is less than 0.2 % more than the first, have the share of the middle one. Sums
    over the dictionary change by about a millionth. Raises a ParameterError for an empty dictionary, or an exponent
    that is below 0 or no number.
    """
    if dictionary_size < 1:
        raise ParameterError("dictionary_size", f"A dictionary has at least one element, not {dictionary_size}.")
    if not 0 <= exponent < math.inf:
        raise ParameterError("exponent", f"The exponent must be at least 0, not {exponent!r}.")
    steps = math.ceil(math.log(max((dictionary_size + 1) / _SINGLE, 1)) / math.log(_RATIO))
    later = np.geomspace(_SINGLE, dictionary_size + 1, steps + 1).astype(np.int64)[: steps + 1 if steps else 0]
    edges = np.unique(np.concatenate([np.arange(1, min(_SINGLE, dictionary_size + 1)), later, [dictionary_size + 1]]))
    numbers = np.diff(edges)
    weights = ((edges[:-1] + edges[1:] - 1) / 2) ** -float(exponent)
    shares = weights / (weights @ numbers)
    for shared in (shares, numbers):
        shared.flags.writeable = False
    return Frequencies(shares, numbers)
