"""What record lines are made of, in which reports travel, and records, in which they are stored.

The lines of a mechanism are in its own package.
"""

from . import blocks
from .blocks import (
    BITS,
    COORDINATE_OUT_OF_RANGE,
    MALFORMED,
    NUMBER,
    ROW_OUT_OF_RANGE,
    WRONG_LENGTH,
    Parts,
    bits_at,
    is_below,
    join_lines,
    numbers_before,
    parse_blocks,
    windows,
)
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
    "BITS",
    "COORDINATE_OUT_OF_RANGE",
    "MALFORMED",
    "NUMBER",
    "ROW_OUT_OF_RANGE",
    "WRONG_LENGTH",
    "Parts",
    "bit_vector_dtype",
    "bits_at",
    "blocks",
    "coordinate_dtype",
    "is_below",
    "join_lines",
    "join_records",
    "merge_sorted",
    "numbers_before",
    "opaque",
    "pack_coordinates",
    "parse_blocks",
    "sort_records",
    "unpack_coordinates",
    "windows",
]
