"""Record lines, the form in which reports travel: writing them, and checking and reading them in bulk."""

from aggregation.wire.bit_vectors import bit_vector_line, bit_vector_lines, parse_bit_vectors
from aggregation.wire.blocks import COORDINATE_OUT_OF_RANGE, MALFORMED, ROW_OUT_OF_RANGE, WRONG_LENGTH
from aggregation.wire.coordinates import coordinate_line, coordinate_lines, parse_coordinates
from aggregation.wire.fragments import fragment_line, fragment_lines, parse_fragments

__all__ = [
    "COORDINATE_OUT_OF_RANGE",
    "MALFORMED",
    "ROW_OUT_OF_RANGE",
    "WRONG_LENGTH",
    "bit_vector_line",
    "bit_vector_lines",
    "coordinate_line",
    "coordinate_lines",
    "fragment_line",
    "fragment_lines",
    "parse_bit_vectors",
    "parse_coordinates",
    "parse_fragments",
]
