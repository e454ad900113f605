"""Cost of a day's reports to the server, with constants as of `planning.cost`; and which shape suits them."""

from functools import partial
from typing import Final

from ..sketch_cost import memory_terms, second_terms, split, suggest_sketch
from .mechanism import HadamardCountMeanSketch

__all__ = ["BYTES", "SECONDS", "memory_terms", "second_terms", "split", "suggest"]

# A report is no vector, whose bytes would cost time.
SECONDS: Final = (0.00241, 1.14e-07, 0, 4.21e-09, 2.89e-09, 4.73e-07)
BYTES: Final = (2.92e06, 153, 89.5)

suggest = partial(suggest_sketch, HadamardCountMeanSketch.algorithm, vectors=False)
