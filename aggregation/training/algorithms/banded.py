"""DP-FTRL by a banded factorisation of prefix sums: each round's noise is taken back, bit by bit, in the next ones.

With noise z of its own in each round, round t releases its sum and y_t, where C y = z. C is the lower triangular
Toeplitz matrix with 1, 1/2, 3/8, … down its first b bands: the square root of the matrix of prefix sums, cut off. Its
inverse is not banded, but y_t = z_t − Σ_j c_j y_{t−j} needs the last b − 1 increments alone.

A person who takes part in round i adds to what has independent noise by column i of C. Bands are at most as many as the
minimum separation, so that the columns of one person share no round: their squares add up. C is lower triangular, so
that what devices send may depend on all that was released before.

References
----------
Choquette-Choo et al., "(Amplified) banded matrix factorization", NeurIPS 2023 (2306.08153), for the sensitivity of
bands. Kalinin and Lampert, "Banded square root matrix factorization", NeurIPS 2024 (2405.13763), for these. Denisov et
al., NeurIPS 2022 (2202.08312), theorem 2.1, for adaptive moves.
"""

import math
from functools import lru_cache
from typing import Final

import numpy as np

from ...arrays import Floats
from ..noise import Noise
from ..parameters import TrainingTask
from .follow_the_leader import FollowTheLeader, separation

_MEMORY: Final = "increments"
_NEXT: Final = "round of the next increment"


class DpFtrlBanded(FollowTheLeader):
    """DP-FTRL whose noise is that of a banded square root of prefix sums."""

    def squared_sensitivity(self, task: TrainingTask, rounds: int) -> float:
        """Return the squared norm of one person's columns: who comes first comes most often, and ends last."""
        return squared_sensitivity(bands_of(task), separation(task), rounds)

    def noise(self, task: TrainingTask, shape: tuple[int, ...], deviation: float, noise: Noise, number: int) -> Floats:
        """Return the increment of the prefix's noise.

        Where the noise of earlier rounds is lost with the process that drew it, C begins anew: columns of before are
        cut off there, and no person adds more for that.
        """
        if noise.memory.get(_NEXT) != number:
            noise.memory[_MEMORY] = []
        bands, earlier = bands_of(task), noise.memory[_MEMORY]
        increment = noise.normal(shape, deviation)
        for band, before in zip(bands[1:], reversed(earlier), strict=False):
            increment -= band * before
        noise.memory |= {_NEXT: number + 1, _MEMORY: [*earlier, increment][max(0, len(earlier) + 2 - len(bands)) :]}
        return increment


def bands_of(task: TrainingTask) -> Floats:
    """Return the bands of C for a task, shape (b,): as many as make the mean error of prefix sums smallest."""
    return _bands(separation(task), task.rounds)


@lru_cache(maxsize=64)
def _bands(apart: int, rounds: int) -> Floats:
    candidates = [square_root_bands(count) for count in sorted({*(2**i for i in range(apart.bit_length())), apart})]
    return min(candidates, key=lambda bands: mean_error(bands, apart, rounds))


def square_root_bands(count: int) -> Floats:
    """Return the first coefficients of (1 − x)^(−1/2): 1, 1/2, 3/8, …; shape (count,)."""
    places = np.arange(1, count)
    return np.concatenate([[1.0], np.cumprod((2 * places - 1) / (2 * places))])


def squared_sensitivity(bands: Floats, apart: int, rounds: int) -> float:
    """Return the squared norm of the columns of who takes part in every `apart`-th round from the first one on.

    `bands` has shape (b,), b ≤ apart: the first column of C, so that columns of one person do not overlap
    (Choquette-Choo et al. 2023).
    """
    squares = np.cumsum(bands**2)
    left = rounds - np.arange(0, rounds, apart)
    return float(np.sum(squares[np.minimum(left, len(bands)) - 1]))


def mean_error(bands: Floats, apart: int, rounds: int) -> float:
    """Return the root mean square error of prefix sums at the noise that keeps ε, in units of one Gaussian release's.

    Prefix sums have noise A C⁻¹ z, whose rows have the coefficients of 1/((1 − x) c(x)).
    """
    from scipy.signal import lfilter

    impulse = np.zeros(rounds)
    impulse[0] = 1
    row = np.cumsum(lfilter([1.0], bands, impulse))
    errors = float(np.sum(np.cumsum(row**2))) / rounds
    return math.sqrt(errors * squared_sensitivity(bands, apart, rounds))
