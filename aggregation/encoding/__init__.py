"""Record lines, the form in which reports travel, and records, the form in which they are stored."""

from .bit_vectors import bit_vector_line, bit_vector_lines, parse_bit_vectors
from .blocks import COORDINATE_OUT_OF_RANGE, MALFORMED, ROW_OUT_OF_RANGE, WRONG_LENGTH
from .coordinates import coordinate_line, coordinate_lines, parse_coordinates
from .fragments import fragment_line, fragment_lines, parse_fragments
from .records import (
    bit_vector_dtype,
    coordinate_dtype,
    join_records,
    merge_sorted,
    opaque,
    pack_coordinates,
    sort_records,
    unpack_coordinates,
)

__all__ = [
    "COORDINATE_OUT_OF_RANGE",
    "MALFORMED",
    "ROW_OUT_OF_RANGE",
    "WRONG_LENGTH",
    "bit_vector_dtype",
    "bit_vector_line",
    "bit_vector_lines",
    "coordinate_dtype",
    "coordinate_line",
    "coordinate_lines",
    "fragment_line",
    "fragment_lines",
    "join_records",
    "merge_sorted",
    "opaque",
    "pack_coordinates",
    "parse_bit_vectors",
    "parse_coordinates",
    "parse_fragments",
    "sort_records",
    "unpack_coordinates",
]
