"""Count Mean Sketch."""

from .encoding import bit_vector_line, bit_vector_lines, parse_bit_vectors
from .mechanism import CountMeanSketch

__all__ = ["CountMeanSketch", "bit_vector_line", "bit_vector_lines", "parse_bit_vectors"]
