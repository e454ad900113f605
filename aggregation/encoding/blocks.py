"""Reading lines a block at a time, and the pieces that lines are made of: numbers and bits, all of a block at once."""

import binascii
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .records import join_records

MALFORMED: Final = "malformed_record"
ROW_OUT_OF_RANGE: Final = "row_out_of_range"
COORDINATE_OUT_OF_RANGE: Final = "coordinate_out_of_range"
WRONG_LENGTH: Final = "wrong_length"

# Lines read at once; one bad line sends its block, not the document, the slow way.
BLOCK: Final = 4096

NUMBER: Final = "(0|[1-9][0-9]*)"
BITS: Final = "([0-9a-f]+)"

# The parts that a block of lines has: arrays with an item for each line.
Parts = tuple[NDArray[Any], ...]


class Joined(NamedTuple):
    """Lines as one text, behind as many zeros as may be looked at before the first, and where each ends."""

    text: bytes
    ends: NDArray[np.intp]


def parse_blocks(
    lines: Sequence[object],
    fault: Callable[[object], str | None],
    read: Callable[[Sequence[object]], Parts | None],
) -> tuple[Parts, list[tuple[int, str]]]:
    """Read lines block by block; one that cannot be read as a whole is looked at line by line for what is at fault."""
    found: list[Parts] = []
    rejected: list[tuple[int, str]] = []
    for start in range(0, len(lines), BLOCK):
        block = lines[start : start + BLOCK]
        parts = read(block)
        if parts is None:
            reasons = [fault(line) for line in block]
            rejected += [(start + i, reason) for i, reason in enumerate(reasons) if reason]
            parts = _read_or_fail(read, [line for line, reason in zip(block, reasons, strict=True) if not reason])
        found.append(parts)
    if len(found) == 1:
        return found[0], rejected
    found = found or [_read_or_fail(read, [])]
    return tuple(join_records(same) for same in zip(*found, strict=True)), rejected


def _read_or_fail(read: Callable[[Sequence[object]], Parts | None], lines: Sequence[object]) -> Parts:
    parts = read(lines)
    if parts is None:
        raise AssertionError("the two ways to check a record disagree")
    return parts


def is_below(digits: str, bound: int) -> bool:
    """Look at a number's length first: converting a long one would take quadratic time."""
    return len(digits) <= len(str(bound)) and int(digits) < bound


def join_lines(lines: Sequence[object], zeros: int) -> Joined | None:
    """Put lines one behind the other; None if one is no ASCII text."""
    try:
        text = ("0" * zeros + "".join(lines)).encode("ascii")  # type: ignore[arg-type]
        lengths = np.fromiter(map(len, lines), np.intp, len(lines))  # type: ignore[arg-type]
    except (TypeError, UnicodeEncodeError):
        return None
    return Joined(text, zeros + np.cumsum(lengths))


def windows(text: bytes, width: int, starts: NDArray[np.intp]) -> NDArray[np.void]:
    """Return ``text[start : start + width]`` for every start, as items of that many bytes."""
    everywhere = np.ndarray((len(text) - width + 1,), f"V{width}", text, strides=(1,))
    return everywhere[starts]


def bits_at(text: bytes, starts: NDArray[np.intp], m: int) -> NDArray[np.uint8] | None:
    """Return the m bits whose lower-case hex digits start there, packed, shape (lines, m / 8); None if some are not."""
    digits = windows(text, m // 4, starts)
    # Of the hex digits only A to F lack the bit 0x20.
    if np.bitwise_and.reduce(digits.view(np.uint16)) & 0x2020 != 0x2020:
        return None
    try:
        bits = binascii.unhexlify(digits.view(np.uint8).data)
    except binascii.Error:
        return None
    return np.frombuffer(bits, np.uint8).reshape(-1, m // 8)


def numbers_before(
    text: bytes, commas: NDArray[np.intp], lengths: NDArray[np.intp], bound: int
) -> NDArray[np.int64] | None:
    """Return the numbers of so many digits that end at these places, where commas must be.

    None if one is no number or not below the bound. The text has at least as many bytes before the first comma as the
    widest number has digits.
    """
    widest = len(str(bound - 1))
    if lengths.min() < 1 or lengths.max() > widest:
        return None
    front = windows(text, widest + 1, commas - widest).view(np.uint8).reshape(len(commas), widest + 1)
    if (front[:, -1] != ord(",")).any():
        return None
    digits = front[:, :-1] - np.uint8(ord("0"))
    digits[np.arange(widest) < (widest - lengths)[:, None]] = 0
    leading = digits[np.arange(len(digits)), widest - lengths]
    if (digits > 9).any() or ((leading == 0) & (lengths > 1)).any():
        return None
    numbers = np.zeros(len(digits), np.int64)
    for column in digits.T:
        numbers = numbers * 10 + column
    return numbers if numbers.max() < bound else None
