"""The evaluation lab: with these parameters, how far from the truth, and can the ranking be trusted?"""

from .blocks import Block, BlockResult, blocks, do_block, is_drawn
from .deviations import ACCEPTED_RANKS, chance, deviations
from .document import evaluation_document
from .grid import DEFAULTS, Grid, Shape, read_grid
from .observed_counts import MOST_ELEMENTS, CountsError, read_counts
from .regression import CONFIDENCE, FALSE_ELEMENTS, MEASURES, regression
from .true_counts import apportion, invented, names, observed, ranks

__all__ = [
    "ACCEPTED_RANKS",
    "CONFIDENCE",
    "DEFAULTS",
    "FALSE_ELEMENTS",
    "MEASURES",
    "MOST_ELEMENTS",
    "Block",
    "BlockResult",
    "CountsError",
    "Grid",
    "Shape",
    "apportion",
    "blocks",
    "chance",
    "deviations",
    "do_block",
    "evaluation_document",
    "invented",
    "is_drawn",
    "names",
    "observed",
    "ranks",
    "read_counts",
    "read_grid",
    "regression",
]
