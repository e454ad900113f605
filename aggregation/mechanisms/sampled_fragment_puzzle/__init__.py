"""Sampled fragment puzzle."""

from .mechanism import SampledFragmentPuzzle

__all__ = ["SampledFragmentPuzzle"]
