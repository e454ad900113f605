"""Cost of a day's reports to the server, with constants as of `planning.cost`; and which shape suits them."""

from functools import partial
from typing import Final

from ..sketch_cost import memory_terms, second_terms, split, suggest_sketch
from .mechanism import CountMeanSketch

__all__ = ["BYTES", "SECONDS", "memory_terms", "second_terms", "split", "suggest"]

SECONDS: Final = (0.00381, 1.69e-07, 2.8e-09, 1.11e-09, 3.27e-09, 1.6e-07)
BYTES: Final = (2.21e06, 176, 330)

suggest = partial(suggest_sketch, CountMeanSketch.algorithm, vectors=True)
