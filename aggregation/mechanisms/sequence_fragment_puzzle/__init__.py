"""Sequence Fragment Puzzle."""

from .mechanism import SequenceFragmentPuzzle

__all__ = ["SequenceFragmentPuzzle"]
