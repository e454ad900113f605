"""The server's half: words are counted as Count Mean Sketch counts them, and so are fragments of each position.

Finding words is `discovery`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...estimation import Estimator
from ..fragment_puzzle import WORDS
from .encoding import Encoding


class Server(Encoding):
    """Counts words and fragments; elements are the words."""

    @property
    def debiased(self) -> Estimator:
        return self.words.debiased

    def word_estimator(self, n: int, word_reports: int) -> Estimator:
        return self.words.debiased

    def read_out(
        self, shards: Sequence[NDArray[Any]], points: NDArray[Any], start: int, stop: int, stream: str = WORDS
    ) -> NDArray[np.int64]:
        return self.words.read_out(shards, points, start, stop, stream)
