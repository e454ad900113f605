"""Sequence Fragment Puzzle."""

from .client import fragment_element
from .encoding import WORDS
from .mechanism import SequenceFragmentPuzzle
from .parameters import MAX_CELLS
from .server import FALSE_FRAGMENTS, PUZZLES, num_keys

__all__ = ["FALSE_FRAGMENTS", "MAX_CELLS", "PUZZLES", "WORDS", "SequenceFragmentPuzzle", "fragment_element", "num_keys"]
