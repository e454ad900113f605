"""Lines ``j,l,w`` of a row number, a coordinate and a sign, and how they are stored."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...encoding import (
    COORDINATE_OUT_OF_RANGE,
    MALFORMED,
    NUMBER,
    ROW_OUT_OF_RANGE,
    Parts,
    coordinate_dtype,
    is_below,
    pack_coordinates,
    parse_blocks,
    unpack_coordinates,
    windows,
)
from ...registry import ParsedRecords
from ..one_sketch import STREAM
from .parameters import Parameters

_LINE: Final = re.compile(f"{NUMBER},{NUMBER},-?1")
# The widest number that `_numbers` reads, more than the number of cells of any sketch needs.
_WIDEST: Final = 8


def coordinate_line(row: int, coordinate: int, sign: int) -> str:
    """Return the line ``j,l,w`` of one signed Hadamard coordinate."""
    return f"{row},{coordinate},{sign}"


def coordinate_lines(records: NDArray[Any], m: int) -> list[str]:
    """Return the lines of stored coordinates, in their order."""
    rows, coordinates, positive = unpack_coordinates(records, m)
    signs = np.where(positive, 1, -1)
    return list(map(coordinate_line, rows.tolist(), coordinates.tolist(), signs.tolist()))


def parse_coordinates(lines: Sequence[object], k: int, m: int) -> tuple[NDArray[Any], list[tuple[int, str]]]:
    """Check and read lines ``j,l,w``.

    Parameters
    ----------
    lines : sequence of object
        What a document holds; anything may be in it.
    k, m : int
        Rows of the sketch, and coordinates of a row.

    Returns
    -------
    records : structured ndarray
        The good records in order, of dtype ``coordinate_dtype()``.
    rejected : list of (int, str)
        Index in the input and reason for each of the others, in order: ``row_out_of_range`` or
        ``coordinate_out_of_range`` where the grammar holds (in this order of precedence), else ``malformed_record``.

    References
    ----------
    The report format, sections 4 and 5.1.
    """
    (records,), rejected = parse_blocks(lines, lambda line: _fault(line, k, m), lambda block: _read(block, k, m))
    return records, rejected


def _fault(line: object, k: int, m: int) -> str | None:
    """Return why one line is refused, or None; the definition that `_read` has to agree with."""
    match = _LINE.fullmatch(line) if isinstance(line, str) else None
    if match is None:
        return MALFORMED
    row, coordinate = match.groups()
    if not is_below(row, k):
        return ROW_OUT_OF_RANGE
    return None if is_below(coordinate, m) else COORDINATE_OUT_OF_RANGE


def _read(lines: Sequence[object], k: int, m: int) -> Parts | None:
    """Read lines all at once, or return None if anything is wrong with any of them."""
    if not len(lines):
        return (np.empty(0, coordinate_dtype()),)
    try:
        # Zeros in front, so that the widest number may be looked for before the first comma, too.
        text = ("0" * _WIDEST + "\n".join(lines) + "\n").encode("ascii")  # type: ignore[arg-type]
    except (TypeError, UnicodeEncodeError):
        return None
    # What is found below takes many times as much memory as the text; numbers, commas, sign and line break are short.
    if len(text) > _WIDEST + len(lines) * (2 * _WIDEST + len(",,-1\n")):
        return None
    octets = np.frombuffer(text, np.uint8)
    others = np.flatnonzero(octets - np.uint8(ord("0")) > 9)
    ends = others[octets[others] != ord("-")]
    # Lines without a line break among them, of two commas each: three ends a line, the last of them its own.
    if len(ends) != 3 * len(lines) or (octets[ends].reshape(-1, 3) != np.frombuffer(b",,\n", np.uint8)).any():
        return None
    row_ends, coordinate_ends, line_ends = ends.reshape(-1, 3).T
    # All that is left beside digits are minus signs: as many as lines that end in -1, so none elsewhere.
    signs = line_ends - coordinate_ends - 1
    negative = (signs == 2) & (octets[line_ends - 2] == ord("-"))
    if (octets[line_ends - 1] != ord("1")).any() or not (negative | (signs == 1)).all():
        return None
    if len(others) - len(ends) != np.count_nonzero(negative):
        return None
    rows = _numbers(text, np.concatenate(([_WIDEST - 1], line_ends[:-1])), row_ends, k)
    coordinates = _numbers(text, row_ends, coordinate_ends, m)
    if rows is None or coordinates is None:
        return None
    return (pack_coordinates(rows, coordinates, ~negative, m),)


def _numbers(text: bytes, before: NDArray[np.intp], ends: NDArray[np.intp], bound: int) -> NDArray[np.uint64] | None:
    """Return the numbers whose digits are between these places; None if one is no number, or not below the bound."""
    lengths = ends - before - 1
    if lengths.min() < 1 or lengths.max() > _WIDEST:
        return None
    if ((np.frombuffer(text, np.uint8)[before + 1] == ord("0")) & (lengths > 1)).any():
        return None
    # The first digit in the lowest byte: what is in front of it is shifted out. Neighbours are then joined to numbers
    # of two digits, of four, and of eight.
    digits = windows(text, _WIDEST, ends - _WIDEST).view("<u8").astype(np.uint64, copy=False)
    foreign = ((_WIDEST - lengths) * 8).astype(np.uint64)
    digits = digits >> foreign << foreign & np.uint64(0x0F0F0F0F0F0F0F0F)
    digits = digits * np.uint64(10 << 8 | 1) >> np.uint64(8) & np.uint64(0x00FF00FF00FF00FF)
    digits = digits * np.uint64(100 << 16 | 1) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
    numbers: NDArray[np.uint64] = digits * np.uint64(10000 << 32 | 1) >> np.uint64(32)
    return numbers if numbers.max() < bound else None


class Encoding(Parameters):
    """Lines and records of reports."""

    @property
    def report_characters(self) -> int:
        return len(coordinate_line(self.k - 1, self.m - 1, -1))

    @property
    def report_bytes(self) -> int:
        return self.record_dtype(STREAM).itemsize

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        self.check_stream(stream)
        return coordinate_dtype()

    def format_records(self, parts: Mapping[str, NDArray[Any]]) -> list[str]:
        return coordinate_lines(parts[STREAM], self.m)

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        parsed, rejected = parse_coordinates(records, self.k, self.m)
        return ParsedRecords({STREAM: parsed}, rejected)
