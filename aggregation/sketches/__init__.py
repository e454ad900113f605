"""Hash families, and sketches over them: counting bits and coordinates in cells, and reading elements out of cells."""

from aggregation.sketches.bit_sketch import count_ones, read_ones
from aggregation.sketches.coordinate_sketch import read_coordinates, sum_coordinates
from aggregation.sketches.hadamard import are_negative, sign, transform
from aggregation.sketches.hashing import HASH_FAMILIES, LABELS, HashFamily, QuadraticM31, puzzle_byte
from aggregation.sketches.readout import add_read_out
from aggregation.sketches.row_slices import check_range

__all__ = [
    "HASH_FAMILIES",
    "LABELS",
    "HashFamily",
    "QuadraticM31",
    "add_read_out",
    "are_negative",
    "check_range",
    "count_ones",
    "puzzle_byte",
    "read_coordinates",
    "read_ones",
    "sign",
    "sum_coordinates",
    "transform",
]
