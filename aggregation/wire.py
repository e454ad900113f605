"""Record lines, the form in which reports travel: writing them, and checking and reading them in bulk."""

import binascii
import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from aggregation.records import bit_vector_dtype, join_records

MALFORMED: Final = "malformed_record"
ROW_OUT_OF_RANGE: Final = "row_out_of_range"
WRONG_LENGTH: Final = "wrong_length"

# Lines read at once; one bad line sends its block, not the document, the slow way.
_BLOCK: Final = 4096
_GRAMMAR: Final = re.compile("(0|[1-9][0-9]*),([0-9a-f]+)")


def bit_vector_line(row: int, bits: NDArray[np.uint8]) -> str:
    """Return the line ``j,hex`` of one row number and packed bits."""
    return f"{row},{bits.tobytes().hex()}"


def coordinate_line(row: int, coordinate: int, sign: int) -> str:
    """Return the line ``j,l,w`` of one signed Hadamard coordinate."""
    return f"{row},{coordinate},{sign}"


def fragment_line(position: int, fragment: str, word: str) -> str:
    """Return the line ``q,j',hex',j,hex`` that joins the lines of a fragment and of its word."""
    return f"{position},{fragment},{word}"


def bit_vector_lines(records: NDArray[Any]) -> list[str]:
    """Return the lines of stored bit vectors, in their order."""
    lines: list[str] = []
    for start in range(0, len(records), _BLOCK):
        block = records[start : start + _BLOCK]
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
        Index in the input and reason for each of the others: ``row_out_of_range`` or ``wrong_length`` where the
        grammar holds (in this order of precedence), else ``malformed_record``.

    References
    ----------
    The report format, sections 4 and 5.1.
    """
    parts: list[NDArray[Any]] = [np.empty(0, bit_vector_dtype(m))]
    rejected: list[tuple[int, str]] = []
    for start in range(0, len(lines), _BLOCK):
        block = lines[start : start + _BLOCK]
        records = _read_block(block, k, m)
        if records is None:
            reasons = [_fault(line, k, m) for line in block]
            rejected += [(start + i, reason) for i, reason in enumerate(reasons) if reason]
            records = _read_block([line for line, reason in zip(block, reasons, strict=True) if not reason], k, m)
            if records is None:
                raise AssertionError("the two ways to check a record disagree")
        parts.append(records)
    return join_records(parts), rejected


def _fault(line: object, k: int, m: int) -> str | None:
    """Return why one line is refused, or None; the definition that `_read_block` has to agree with."""
    match = _GRAMMAR.fullmatch(line) if isinstance(line, str) else None
    if match is None:
        return MALFORMED
    row, digits = match.groups()
    # The number's length is looked at first: converting a long one would take quadratic time.
    if len(row) > len(str(k)) or int(row) >= k:
        return ROW_OUT_OF_RANGE
    return None if len(digits) == m // 4 else WRONG_LENGTH


def _read_block(lines: Sequence[object], k: int, m: int) -> NDArray[Any] | None:
    """Read lines all at once, or return None if anything is wrong with any of them."""
    records = np.empty(len(lines), bit_vector_dtype(m))
    if not len(lines):
        return records
    digits, widest = m // 4, len(str(k - 1))
    try:
        # Zeros in front, so that the widest row number may be looked for before the first line, too.
        text = ("0" * widest + "".join(lines)).encode("ascii")  # type: ignore[arg-type]
        lengths = np.fromiter(map(len, lines), np.intp, len(lines))  # type: ignore[arg-type]
    except (TypeError, UnicodeEncodeError):
        return None
    heads = lengths - digits - 1
    if heads.min() < 1 or heads.max() > widest:
        return None
    tails = widest + np.cumsum(lengths) - digits
    hex_digits = _windows(text, digits, tails)
    # Of the hex digits only A to F lack the bit 0x20.
    if np.bitwise_and.reduce(hex_digits.view(np.uint16)) & 0x2020 != 0x2020:
        return None
    try:
        bits = binascii.unhexlify(hex_digits.view(np.uint8).data)
    except binascii.Error:
        return None
    front = _windows(text, widest + 1, tails - widest - 1).view(np.uint8).reshape(len(lines), widest + 1)
    rows = _row_numbers(front, heads)
    if rows is None or rows.max() >= k:
        return None
    records["row"] = rows
    records["bits"] = np.frombuffer(bits, np.uint8).reshape(-1, m // 8)
    return records


def _windows(text: bytes, width: int, starts: NDArray[np.intp]) -> NDArray[np.void]:
    """Return ``text[start : start + width]`` for every start, as items of that many bytes."""
    everywhere = np.ndarray((len(text) - width + 1,), f"V{width}", text, strides=(1,))
    return everywhere[starts]


def _row_numbers(front: NDArray[np.uint8], heads: NDArray[np.intp]) -> NDArray[np.int64] | None:
    """Return the numbers that end each line's front, ``heads`` digits before its comma; None if one is no number."""
    if (front[:, -1] != ord(",")).any():
        return None
    digits = front[:, :-1] - np.uint8(ord("0"))
    widest = digits.shape[1]
    digits[np.arange(widest) < (widest - heads)[:, None]] = 0
    leading = digits[np.arange(len(digits)), widest - heads]
    if (digits > 9).any() or ((leading == 0) & (heads > 1)).any():
        return None
    rows = np.zeros(len(digits), np.int64)
    for column in digits.T:
        rows = rows * 10 + column
    return rows
