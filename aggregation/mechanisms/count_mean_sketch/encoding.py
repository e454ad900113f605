"""Lines ``j,hex`` of a row number and a vector of bits, and how they are stored."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...encoding import ROW_OUT_OF_RANGE, Bits, LineFormat, Number, bit_vector_dtype, pack_bit_vectors
from ..one_sketch import STREAM
from .parameters import Parameters

# Lines written at once.
_BLOCK: Final = 4096


def bit_vector_line(row: int, bits: NDArray[np.uint8]) -> str:
    """Return the line ``j,hex`` of one row number and packed bits."""
    return f"{row},{bits.tobytes().hex()}"


def bit_vector_lines(records: Array) -> list[str]:
    """Return the lines of stored bit vectors, in their order."""
    lines: list[str] = []
    for start in range(0, len(records), _BLOCK):
        block = records[start : start + _BLOCK]
        digits, text = 2 * block["bits"].shape[1], block["bits"].tobytes().hex()
        lines += [f"{row},{text[i * digits : (i + 1) * digits]}" for i, row in enumerate(block["row"].tolist())]
    return lines


@lru_cache(maxsize=64)
def line_format(k: int, m: int) -> LineFormat:
    """Return the format of the lines of a sketch (report format, sections 4 and 5.1).

    A line is refused as ``row_out_of_range`` or ``wrong_length`` where the grammar holds (in this order of
    precedence), else ``malformed_record``.
    """
    fields = (Number(range(k), ROW_OUT_OF_RANGE), Bits(m))
    return LineFormat(fields, lambda rows, bits: (pack_bit_vectors(rows, bits),))


class Encoding(Parameters):
    """Lines and records of reports."""

    @property
    def report_characters(self) -> int:
        return len(f"{self.k - 1},") + self.m // 4

    @property
    def line_format(self) -> LineFormat:
        return line_format(self.k, self.m)

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        self.check_stream(stream)
        return bit_vector_dtype(self.m)

    def format_records(self, parts: Mapping[str, Array]) -> list[str]:
        return bit_vector_lines(parts[STREAM])
