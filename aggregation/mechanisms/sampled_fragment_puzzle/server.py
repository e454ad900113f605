"""The server's half: words are counted by local hashing, and so are fragments of each position.

Finding words is `discovery`.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from ...arrays import Array, Integers
from ...estimation import Subsampled
from ..fragment_puzzle import WORDS
from .encoding import Encoding


class Server(Encoding):
    """Counts words and fragments; elements are the words."""

    @cached_property
    def debiased(self) -> Subsampled:
        """The estimator where as many reports are about words as are expected, for plans."""
        return Subsampled(self.words.debiased, 1 - Fraction(self.fragment_share))

    def word_estimator(self, n: int, word_reports: int) -> Subsampled:
        return Subsampled.of(self.words.debiased, n, word_reports)

    def read_out(self, shards: Sequence[Array], points: Array, start: int, stop: int, stream: str = WORDS) -> Integers:
        """Return the support counts of words; reports about fragments add nothing to them."""
        self.sketch_of(stream)
        if stream != WORDS:
            return np.zeros((len(shards), len(points)), np.int64)
        return self.words.read_out(shards, points, start, stop)
