"""Lines ``j,l,w`` of a row number, a coordinate and a sign, and how they are stored."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays import Array
from ...encoding import (
    COORDINATE_OUT_OF_RANGE,
    ROW_OUT_OF_RANGE,
    LineFormat,
    Number,
    Sign,
    coordinate_dtype,
    pack_coordinates,
    unpack_coordinates,
)
from ..one_sketch import STREAM
from .parameters import Parameters


def coordinate_line(row: int, coordinate: int, sign: int) -> str:
    """Return the line ``j,l,w`` of one signed Hadamard coordinate."""
    return f"{row},{coordinate},{sign}"


def coordinate_lines(records: Array, m: int) -> list[str]:
    """Return the lines of stored coordinates, in their order."""
    rows, coordinates, positive = unpack_coordinates(records, m)
    signs = np.where(positive, 1, -1)
    return list(map(coordinate_line, rows.tolist(), coordinates.tolist(), signs.tolist()))


@lru_cache(maxsize=64)
def line_format(k: int, m: int) -> LineFormat:
    """Return the format of the lines of a sketch (report format, sections 4 and 5.1).

    A line is refused as ``row_out_of_range`` or ``coordinate_out_of_range`` where the grammar holds (in this order
    of precedence), else ``malformed_record``.
    """
    fields = (Number(range(k), ROW_OUT_OF_RANGE), Number(range(m), COORDINATE_OUT_OF_RANGE), Sign())
    return LineFormat(fields, lambda rows, coordinates, positive: (pack_coordinates(rows, coordinates, positive, m),))


class Encoding(Parameters):
    """Lines and records of reports."""

    @property
    def report_characters(self) -> int:
        return len(coordinate_line(self.k - 1, self.m - 1, -1))

    @property
    def line_format(self) -> LineFormat:
        return line_format(self.k, self.m)

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        self.check_stream(stream)
        return coordinate_dtype()

    def format_records(self, parts: Mapping[str, Array]) -> list[str]:
        return coordinate_lines(parts[STREAM], self.m)
