"""Lines ``j,hex`` of a row number and a vector of bits, and how they are stored."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...encoding import (
    BITS,
    MALFORMED,
    NUMBER,
    ROW_OUT_OF_RANGE,
    WRONG_LENGTH,
    Parts,
    bit_vector_dtype,
    bits_at,
    blocks,
    is_below,
    join_lines,
    numbers_before,
    parse_blocks,
)
from ...registry import ParsedRecords
from ..one_sketch import STREAM
from .parameters import Parameters

_LINE: Final = re.compile(f"{NUMBER},{BITS}")


def bit_vector_line(row: int, bits: NDArray[np.uint8]) -> str:
    """Return the line ``j,hex`` of one row number and packed bits."""
    return f"{row},{bits.tobytes().hex()}"


def bit_vector_lines(records: NDArray[Any]) -> list[str]:
    """Return the lines of stored bit vectors, in their order."""
    lines: list[str] = []
    for start in range(0, len(records), blocks.BLOCK):
        block = records[start : start + blocks.BLOCK]
        digits, text = 2 * block["bits"].shape[1], block["bits"].tobytes().hex()
        lines += [f"{row},{text[i * digits : (i + 1) * digits]}" for i, row in enumerate(block["row"].tolist())]
    return lines


def parse_bit_vectors(lines: Sequence[object], k: int, m: int) -> tuple[NDArray[Any], list[tuple[int, str]]]:
    """Check and read lines ``j,hex``.

    Parameters
    ----------
    lines : sequence of object
        What a document holds; anything may be in it.
    k, m : int
        Rows of the sketch, and bits per vector.

    Returns
    -------
    records : structured ndarray
        The good records in order, of dtype ``bit_vector_dtype(m)``.
    rejected : list of (int, str)
        Index in the input and reason for each of the others, in order: ``row_out_of_range`` or ``wrong_length`` where
        the grammar holds (in this order of precedence), else ``malformed_record``.

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
    row, digits = match.groups()
    if not is_below(row, k):
        return ROW_OUT_OF_RANGE
    return None if len(digits) == m // 4 else WRONG_LENGTH


def _read_one(line: object, k: int, m: int) -> Parts | None:
    """Read a line alone, as single devices send it: what pays for thousands takes long for one."""
    if _fault(line, k, m) is not None:
        return None
    row, digits = str(line).split(",")
    records = np.empty(1, bit_vector_dtype(m))
    records["row"], records["bits"] = int(row), np.frombuffer(bytes.fromhex(digits), np.uint8)
    return (records,)


def _read(lines: Sequence[object], k: int, m: int) -> Parts | None:
    """Read lines all at once, or return None if anything is wrong with any of them."""
    if len(lines) == 1:
        return _read_one(lines[0], k, m)
    records = np.empty(len(lines), bit_vector_dtype(m))
    if not len(lines):
        return (records,)
    digits, widest = m // 4, len(str(k - 1))
    joined = join_lines(lines, zeros=widest)
    if joined is None:
        return None
    heads = joined.ends - digits - 1
    heads[0] -= widest
    heads[1:] -= joined.ends[:-1]
    # Looked at first, so that no piece is looked for outside the text.
    if heads.min() < 1 or heads.max() > widest:
        return None
    rows = numbers_before(joined.text, joined.ends - digits - 1, heads, k)
    bits = None if rows is None else bits_at(joined.text, joined.ends - digits, m)
    if bits is None:
        return None
    records["row"], records["bits"] = rows, bits
    return (records,)


class Encoding(Parameters):
    """Lines and records of reports."""

    @property
    def report_characters(self) -> int:
        return len(f"{self.k - 1},") + self.m // 4

    @property
    def report_bytes(self) -> int:
        return self.record_dtype(STREAM).itemsize

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        self.check_stream(stream)
        return bit_vector_dtype(self.m)

    def format_records(self, parts: Mapping[str, NDArray[Any]]) -> list[str]:
        return bit_vector_lines(parts[STREAM])

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        parsed, rejected = parse_bit_vectors(records, self.k, self.m)
        return ParsedRecords({STREAM: parsed}, rejected)
