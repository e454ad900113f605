"""Exact binomial draws by the million, of few trials and one probability: inverse distribution functions in tables."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Floats, Places

# A draw of so many bits decides, but where one of its values has an end of an interval inside it.
_BITS: Final = 16
_VALUES: Final = 2**_BITS
# Above this many trials a draw without tables costs little more.
MOST_TRIALS: Final = 511
# Stands in tables for values that further bits decide.
_OPEN: Final = np.uint16(2**16 - 1)


class BinomialTables:
    """Draws numbers of successes, each of its own number of trials, at one probability.

    Parameters
    ----------
    probability : float
        Of a success, between 0 and 1.

    Notes
    -----
    A uniform number U of 16 + 53 bits is inverted: where the first 16 bits leave a single outcome, the table has it;
    where they do not (at most one value for each outcome of positive probability), the other 53 are drawn and the
    distribution function is searched. So outcomes have their probabilities up to the rounding of 64-bit floats.
    """

    def __init__(self, probability: float) -> None:
        self.probability = probability
        self._tables = np.empty((0, _VALUES), np.uint16)
        self._cumulative: list[Floats] = []

    def draw(self, trials: Array, rng: np.random.Generator) -> NDArray[np.integer[Any]]:
        """Return one number of successes for each number of trials, in its shape."""
        most = int(trials.max(initial=0))
        if most > MOST_TRIALS:
            return rng.binomial(trials, self.probability)
        self._extend(most)
        words = -(-trials.size * _BITS // 64)
        uniform = rng.bit_generator.random_raw(words).view(np.uint16)[: trials.size].reshape(trials.shape)
        index = trials.astype(np.int64)
        index <<= _BITS
        index |= uniform
        drawn = self._tables.reshape(-1).take(index)
        is_open = np.flatnonzero(drawn == _OPEN)
        if len(is_open):
            self._decide(drawn.reshape(-1), is_open, trials.reshape(-1), uniform.reshape(-1), rng)
        return drawn

    def _decide(
        self,
        drawn: NDArray[np.uint16],
        places: Places,
        trials: Array,
        uniform: NDArray[np.uint16],
        rng: np.random.Generator,
    ) -> None:
        numbers = (uniform[places] + rng.random(len(places))) / _VALUES
        of = trials[places]
        for count in np.unique(of).tolist():
            own = of == count
            drawn[places[own]] = np.searchsorted(self._cumulative[count], numbers[own], side="right")

    def _extend(self, most: int) -> None:
        """Make the tables for up to so many trials."""
        have = len(self._cumulative)
        if most < have:
            return
        tables = np.empty((most + 1, _VALUES), np.uint16)
        tables[:have] = self._tables
        for count in range(have, most + 1):
            # Outcome x has U in [cumulative[x - 1], cumulative[x]); the last interval ends at 1.
            cumulative = np.minimum(np.cumsum(_probabilities(count, self.probability)), 1.0)[:-1]
            ends = cumulative * _VALUES  # exact
            over = np.bincount(np.ceil(ends).astype(np.intp), minlength=_VALUES + 1)[:_VALUES]
            tables[count] = np.cumsum(over)
            tables[count, np.floor(ends[ends % 1 > 0]).astype(np.intp)] = _OPEN
            self._cumulative.append(cumulative)
        self._tables = tables


def _probabilities(trials: int, probability: float) -> Floats:
    """Return the probabilities of 0 … `trials` successes."""
    x = np.arange(1, trials + 1)
    # log of C(n, x) as a sum of log((n - x + 1)/x).
    log_choose = np.concatenate([[0.0], np.cumsum(np.log((trials - x + 1) / x))])
    successes = np.arange(trials + 1)
    logs = log_choose + successes * np.log(probability) + (trials - successes) * np.log1p(-probability)
    probabilities: Floats = np.exp(logs)
    probabilities /= probabilities.sum()
    return probabilities
