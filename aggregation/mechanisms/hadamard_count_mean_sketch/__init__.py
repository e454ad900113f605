"""Hadamard Count Mean Sketch."""

from .mechanism import HadamardCountMeanSketch

__all__ = ["HadamardCountMeanSketch"]
