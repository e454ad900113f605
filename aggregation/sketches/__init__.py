"""Hash families, and sketches over them: bits, coordinates and buckets counted in cells, and read-outs of elements."""

from .bit_sketch import add_ones, read_ones
from .bucket_sketch import add_buckets, read_buckets
from .coordinate_sketch import add_coordinates, read_coordinates
from .hadamard import are_negative, sign, transform
from .hashing import HASH_FAMILIES, LABELS, HashFamily, QuadraticM31, puzzle_byte
from .readout import add_read_out
from .row_slices import check_range
from .shared_rows import shared_rows

__all__ = [
    "HASH_FAMILIES",
    "LABELS",
    "HashFamily",
    "QuadraticM31",
    "add_buckets",
    "add_coordinates",
    "add_ones",
    "add_read_out",
    "are_negative",
    "check_range",
    "puzzle_byte",
    "read_buckets",
    "read_coordinates",
    "read_ones",
    "shared_rows",
    "sign",
    "transform",
]
