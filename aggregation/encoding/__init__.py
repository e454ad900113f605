"""Record lines, in which reports travel, and records, in which they are stored.

The lines of a mechanism are in its own package.
"""

from .lines import COORDINATE_OUT_OF_RANGE, MALFORMED, ROW_OUT_OF_RANGE, WRONG_LENGTH, Bits, LineFormat, Number, Sign
from .records import (
    bit_vector_dtype,
    bucket_dtype,
    coordinate_dtype,
    join_records,
    merge_sorted,
    opaque,
    pack_bit_vectors,
    pack_buckets,
    pack_coordinates,
    sort_records,
    unpack_buckets,
    unpack_coordinates,
)

__all__ = [
    "COORDINATE_OUT_OF_RANGE",
    "MALFORMED",
    "ROW_OUT_OF_RANGE",
    "WRONG_LENGTH",
    "Bits",
    "LineFormat",
    "Number",
    "Sign",
    "bit_vector_dtype",
    "bucket_dtype",
    "coordinate_dtype",
    "join_records",
    "merge_sorted",
    "opaque",
    "pack_bit_vectors",
    "pack_buckets",
    "pack_coordinates",
    "sort_records",
    "unpack_buckets",
    "unpack_coordinates",
]
