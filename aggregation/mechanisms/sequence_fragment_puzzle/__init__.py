"""Sequence Fragment Puzzle."""

from .client import fragment_element
from .encoding import WORDS, fragment_line, fragment_lines, parse_fragments
from .mechanism import SequenceFragmentPuzzle
from .parameters import MAX_CELLS, MAX_ROWS
from .server import FALSE_FRAGMENTS, PUZZLES, num_keys

__all__ = [
    "FALSE_FRAGMENTS",
    "MAX_CELLS",
    "MAX_ROWS",
    "PUZZLES",
    "WORDS",
    "SequenceFragmentPuzzle",
    "fragment_element",
    "fragment_line",
    "fragment_lines",
    "num_keys",
    "parse_fragments",
]
