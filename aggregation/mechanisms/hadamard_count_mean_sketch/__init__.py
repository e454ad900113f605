"""Hadamard Count Mean Sketch."""

from .encoding import coordinate_line, coordinate_lines, parse_coordinates
from .mechanism import HadamardCountMeanSketch

__all__ = ["HadamardCountMeanSketch", "coordinate_line", "coordinate_lines", "parse_coordinates"]
