"""Record lines: fields between commas, each field of a block of lines read at once, from the end of the lines on."""

import binascii
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Places
from .records import join_records

MALFORMED: Final = "malformed_record"
ROW_OUT_OF_RANGE: Final = "row_out_of_range"
COORDINATE_OUT_OF_RANGE: Final = "coordinate_out_of_range"
WRONG_LENGTH: Final = "wrong_length"

# Lines read at once; one bad line sends its block, not the document, the slow way.
BLOCK: Final = 4096

# The widest number, more than the number of cells of any sketch needs; and what tells its digits from other characters.
_WIDEST: Final = 8
_ZEROS: Final = np.uint64(0x3030303030303030)
_ABOVE_NINE: Final = np.uint64(0x7676767676767676)
_HIGH_BITS: Final = np.uint64(0x8080808080808080)

Column: TypeAlias = Array


# Kinds of fields. Each has a pattern, a regular expression with one group, of what is well-formed; a good text has at
# most `width` characters. `fault` says why a well-formed text is refused, or None, and `read_one` makes a column of a
# good one. `read` makes a column of the texts that end at some places, and says where they start, or returns None if
# one is not good; at least `width` characters are before each end.


@dataclass(frozen=True)
class Number:
    """A number without leading zeros, one of these; others have a reason why they are refused."""

    pattern: ClassVar[str] = "(0|[1-9][0-9]*)"

    values: range
    reason: str

    @property
    def width(self) -> int:
        return _WIDEST

    def fault(self, text: str) -> str | None:
        # The length first: converting a long number would take quadratic time.
        good = len(text) <= len(str(self.values[-1])) and int(text) in self.values
        return None if good else self.reason

    def read_one(self, text: str) -> Column:
        return np.array([int(text)])

    def read(self, octets: NDArray[np.uint8], ends: Places) -> tuple[Column, Places] | None:
        # Eight characters, the last in the highest byte. Foreign is the highest that is no digit, with all below it.
        digits = _windows(octets, _WIDEST, ends - _WIDEST).view("<u8").astype(np.uint64, copy=False) ^ _ZEROS
        _, bits = np.frexp(((digits + _ABOVE_NINE | digits) & _HIGH_BITS).astype(np.float64))
        foreign = bits.astype(np.uint64)
        if (bits == 64).any():
            return None
        digits >>= foreign
        if ((digits & np.uint64(0xFF) == 0) & (bits < 56)).any():
            return None
        digits <<= foreign
        # Neighbours are joined to numbers of two digits, of four, and of eight.
        digits = digits * np.uint64(10 << 8 | 1) >> np.uint64(8) & np.uint64(0x00FF00FF00FF00FF)
        digits = digits * np.uint64(100 << 16 | 1) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
        numbers = (digits * np.uint64(10000 << 32 | 1) >> np.uint64(32)).view(np.int64)
        first, last, step = self.values[0], self.values[-1], self.values.step
        # A number below the first is huge without a sign.
        if ((numbers - first).view(np.uint64) > last - first).any() or (step > 1 and ((numbers - first) % step).any()):
            return None
        return numbers, ends + (bits >> 3) - _WIDEST


@dataclass(frozen=True)
class Bits:
    """m bits as lower-case hex digits; a column has them packed, m / 8 bytes a line."""

    pattern: ClassVar[str] = "([0-9a-f]+)"

    m: int

    @property
    def width(self) -> int:
        return self.m // 4

    def fault(self, text: str) -> str | None:
        return None if len(text) == self.m // 4 else WRONG_LENGTH

    def read_one(self, text: str) -> Column:
        return np.frombuffer(bytes.fromhex(text), np.uint8)[None]

    def read(self, octets: NDArray[np.uint8], ends: Places) -> tuple[Column, Places] | None:
        starts = ends - self.m // 4
        digits = _windows(octets, self.m // 4, starts)
        # A to F alone among the hex digits lack the bit 0x20.
        if np.bitwise_and.reduce(digits.view(np.uint16)) & 0x2020 != 0x2020:
            return None
        try:
            bits = binascii.unhexlify(digits.view(np.uint8).data)
        except binascii.Error:
            return None
        return np.frombuffer(bits, np.uint8).reshape(-1, self.m // 8), starts


@dataclass(frozen=True)
class Sign:
    """1 or -1; a column says whether it is positive."""

    pattern: ClassVar[str] = "(-?1)"

    @property
    def width(self) -> int:
        return len("-1")

    def fault(self, text: str) -> None:
        """Return None: what is well-formed is good."""

    def read_one(self, text: str) -> Column:
        return np.array([text == "1"])

    def read(self, octets: NDArray[np.uint8], ends: Places) -> tuple[Column, Places] | None:
        if (octets[ends - 1] != ord("1")).any():
            return None
        positive = octets[ends - 2] != ord("-")
        return positive, ends - 2 + positive


Field: TypeAlias = Number | Bits | Sign


class LineFormat:
    """Format of the record lines of a mechanism.

    Parameters
    ----------
    fields : sequence of Field
        What is between the commas.
    records : callable
        Makes records of columns, one for each field, such as those of a block; or returns None where `fault`, of a
        format that says more than its fields do, finds fault with one of their lines.
    """

    def __init__(self, fields: Sequence[Field], records: Callable[..., tuple[Column, ...] | None]) -> None:
        self._fields, self._records = fields, records
        self._pattern = re.compile(",".join(field.pattern for field in fields))
        # A number out of range is said before a wrong length.
        self._checked = sorted(enumerate(fields), key=lambda field: not isinstance(field[1], Number))
        # So much is in front of the first line that nothing is looked for before it.
        self._front = "\n" * (max(field.width for field in fields) + 1)

    def parse(self, lines: Sequence[object]) -> tuple[tuple[Column, ...], list[tuple[int, str]]]:
        """Check and read record lines.

        Parameters
        ----------
        lines : sequence of object
            What a document holds; anything may be in it.

        Returns
        -------
        parts : tuple of ndarray
            The records of the good lines, in order.
        rejected : list of (int, str)
            Index in the input and reason for each of the others, in order: ``malformed_record`` where a line is not of
            the format, else that of the first number out of range, else ``wrong_length``.
        """
        found: list[tuple[Column, ...]] = []
        rejected: list[tuple[int, str]] = []
        for start in range(0, max(len(lines), 1), BLOCK):
            block = lines[start : start + BLOCK]
            parts = self._read(block)
            if parts is None:
                reasons = [self.fault(line) for line in block]
                rejected += [(start + i, reason) for i, reason in enumerate(reasons) if reason]
                parts = self._read([line for line, reason in zip(block, reasons, strict=True) if not reason])
            if parts is None:
                raise AssertionError("the two ways to check a record disagree")
            found.append(parts)
        if len(found) == 1:
            return found[0], rejected
        return tuple(join_records(same) for same in zip(*found, strict=True)), rejected

    def fault(self, line: object) -> str | None:
        """Return why one line is refused, or None; the definition that `_read` has to agree with."""
        match = self._pattern.fullmatch(line) if isinstance(line, str) else None
        if match is None:
            return MALFORMED
        for place, field in self._checked:
            reason = field.fault(match[place + 1])
            if reason is not None:
                return reason
        return None

    def _read(self, lines: Sequence[object]) -> tuple[Column, ...] | None:
        """Read lines all at once, or return None if anything is wrong with any of them."""
        if len(lines) == 1:
            return self._read_one(lines[0])
        try:
            text = "\n".join([self._front, *lines, ""]).encode("ascii")  # type: ignore[list-item]
            lengths = np.fromiter(map(len, lines), np.intp, len(lines))  # type: ignore[arg-type]
        except (TypeError, UnicodeEncodeError):
            return None
        octets = np.frombuffer(text, np.uint8)
        ends = len(self._front) + np.cumsum(lengths + 1)
        before = ends - lengths - 1
        columns: list[Column] = []
        for field in reversed(self._fields):
            if columns:
                # Before what was read there has to be a comma. None is in front of the first line.
                ends = ends - 1
                if (octets[ends] != ord(",")).any():
                    return None
            found = field.read(octets, ends)
            if found is None:
                return None
            column, ends = found
            columns.append(column)
        return self._records(*columns[::-1]) if (ends - 1 == before).all() else None

    def _read_one(self, line: object) -> tuple[Column, ...] | None:
        """Read a line alone, as single devices send it: what pays for thousands takes long for one."""
        if self.fault(line) is not None:
            return None
        texts = str(line).split(",")
        return self._records(*(field.read_one(text) for field, text in zip(self._fields, texts, strict=True)))


def _windows(octets: NDArray[np.uint8], width: int, starts: Places) -> NDArray[np.void]:
    """Return ``octets[start : start + width]`` for every start, as items of that many bytes."""
    everywhere = np.ndarray((len(octets) - width + 1,), f"V{width}", octets, strides=(1,))
    return everywhere[starts]
