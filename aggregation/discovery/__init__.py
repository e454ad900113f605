"""Finding unknown words: from a day's sketches to the words whose fragments fit together."""

from ..registry import FALSE_FRAGMENTS
from .fragment_cut import MOST_FRAGMENTS, Cut, cut_fragments
from .joining import MOST_JOINED, Joined, join_fragments
from .keys import FragmentKeys, fragment_keys, num_fragment_keys
from .reading import read_fragments, read_words
from .recall import detection_probability, smallest_share
from .search import candidates
from .sketches import Sketches, num_cells
from .words import most_f2, summarize_words

__all__ = [
    "FALSE_FRAGMENTS",
    "MOST_FRAGMENTS",
    "MOST_JOINED",
    "Cut",
    "FragmentKeys",
    "Joined",
    "Sketches",
    "candidates",
    "cut_fragments",
    "detection_probability",
    "fragment_keys",
    "join_fragments",
    "most_f2",
    "num_cells",
    "num_fragment_keys",
    "read_fragments",
    "read_words",
    "smallest_share",
    "summarize_words",
]
