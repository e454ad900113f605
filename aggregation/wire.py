"""Record lines, the form in which reports travel: writing them, and checking and reading them in bulk."""

import binascii
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from aggregation.records import (
    bit_vector_dtype,
    coordinate_dtype,
    join_records,
    pack_coordinates,
    unpack_coordinates,
)

MALFORMED: Final = "malformed_record"
ROW_OUT_OF_RANGE: Final = "row_out_of_range"
COORDINATE_OUT_OF_RANGE: Final = "coordinate_out_of_range"
WRONG_LENGTH: Final = "wrong_length"

# Lines read at once; one bad line sends its block, not the document, the slow way.
_BLOCK: Final = 4096
_BIT_VECTOR: Final = re.compile("(0|[1-9][0-9]*),([0-9a-f]+)")
_COORDINATE: Final = re.compile("(0|[1-9][0-9]*),(0|[1-9][0-9]*),-?1")
# The widest number that `_numbers` reads, more than the number of cells of any sketch needs.
_WIDEST: Final = 8


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


def coordinate_lines(records: NDArray[Any], m: int) -> list[str]:
    """Return the lines of stored coordinates, in their order."""
    rows, coordinates, positive = unpack_coordinates(records, m)
    signs = np.where(positive, 1, -1)
    return list(map(coordinate_line, rows.tolist(), coordinates.tolist(), signs.tolist()))


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
    return _parse(
        lines, bit_vector_dtype(m), lambda line: _bit_vector_fault(line, k, m), lambda b: _bit_vectors(b, k, m)
    )


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
        Index in the input and reason for each of the others: ``row_out_of_range`` or ``coordinate_out_of_range`` where
        the grammar holds (in this order of precedence), else ``malformed_record``.

    References
    ----------
    The report format, sections 4 and 5.1.
    """
    return _parse(
        lines, coordinate_dtype(), lambda line: _coordinate_fault(line, k, m), lambda b: _coordinates(b, k, m)
    )


def _parse(
    lines: Sequence[object],
    dtype: np.dtype[Any],
    fault: Callable[[object], str | None],
    read: Callable[[Sequence[object]], NDArray[Any] | None],
) -> tuple[NDArray[Any], list[tuple[int, str]]]:
    """Read lines block by block; one that cannot be read as a whole is looked at line by line for what is at fault."""
    parts: list[NDArray[Any]] = [np.empty(0, dtype)]
    rejected: list[tuple[int, str]] = []
    for start in range(0, len(lines), _BLOCK):
        block = lines[start : start + _BLOCK]
        records = read(block)
        if records is None:
            reasons = [fault(line) for line in block]
            rejected += [(start + i, reason) for i, reason in enumerate(reasons) if reason]
            records = read([line for line, reason in zip(block, reasons, strict=True) if not reason])
            if records is None:
                raise AssertionError("the two ways to check a record disagree")
        parts.append(records)
    return join_records(parts), rejected


def _bit_vector_fault(line: object, k: int, m: int) -> str | None:
    """Return why one line is refused, or None; the definition that `_bit_vectors` has to agree with."""
    match = _BIT_VECTOR.fullmatch(line) if isinstance(line, str) else None
    if match is None:
        return MALFORMED
    row, digits = match.groups()
    if not _is_below(row, k):
        return ROW_OUT_OF_RANGE
    return None if len(digits) == m // 4 else WRONG_LENGTH


def _coordinate_fault(line: object, k: int, m: int) -> str | None:
    """Return why one line is refused, or None; the definition that `_coordinates` has to agree with."""
    match = _COORDINATE.fullmatch(line) if isinstance(line, str) else None
    if match is None:
        return MALFORMED
    row, coordinate = match.groups()
    if not _is_below(row, k):
        return ROW_OUT_OF_RANGE
    return None if _is_below(coordinate, m) else COORDINATE_OUT_OF_RANGE


def _is_below(digits: str, bound: int) -> bool:
    """Look at a number's length first: converting a long one would take quadratic time."""
    return len(digits) <= len(str(bound)) and int(digits) < bound


def _coordinates(lines: Sequence[object], k: int, m: int) -> NDArray[Any] | None:
    """Read lines all at once, or return None if anything is wrong with any of them."""
    if not len(lines):
        return np.empty(0, coordinate_dtype())
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
    return pack_coordinates(rows, coordinates, ~negative, m)


def _numbers(text: bytes, before: NDArray[np.intp], ends: NDArray[np.intp], bound: int) -> NDArray[np.uint64] | None:
    """Return the numbers whose digits are between these places; None if one is no number, or not below the bound."""
    lengths = ends - before - 1
    if lengths.min() < 1 or lengths.max() > _WIDEST:
        return None
    if ((np.frombuffer(text, np.uint8)[before + 1] == ord("0")) & (lengths > 1)).any():
        return None
    # The first digit in the lowest byte: what is in front of it is shifted out. Neighbours are then joined to numbers
    # of two digits, of four, and of eight.
    digits = _windows(text, _WIDEST, ends - _WIDEST).view("<u8").astype(np.uint64, copy=False)
    foreign = ((_WIDEST - lengths) * 8).astype(np.uint64)
    digits = digits >> foreign << foreign & np.uint64(0x0F0F0F0F0F0F0F0F)
    digits = digits * np.uint64(10 << 8 | 1) >> np.uint64(8) & np.uint64(0x00FF00FF00FF00FF)
    digits = digits * np.uint64(100 << 16 | 1) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
    numbers: NDArray[np.uint64] = digits * np.uint64(10000 << 32 | 1) >> np.uint64(32)
    return numbers if numbers.max() < bound else None


def _bit_vectors(lines: Sequence[object], k: int, m: int) -> NDArray[Any] | None:
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
