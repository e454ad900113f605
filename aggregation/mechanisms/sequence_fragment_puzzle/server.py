"""The server's half: words are counted as Count Mean Sketch counts them, and so are fragments of each position.

Finding words is `discovery`.
"""

from collections.abc import Sequence

from ...arrays import Array, Integers
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

    def read_out(self, shards: Sequence[Array], points: Array, start: int, stop: int, stream: str = WORDS) -> Integers:
        return self.words.read_out(shards, points, start, stop, stream)
