"""Lines of ascending indexes between commas, and how subsets are stored: by indexes or bits, whichever is shorter."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ...arrays import Array
from ...encoding import COORDINATE_OUT_OF_RANGE, MALFORMED, WRONG_LENGTH, LineFormat, Number
from ...registry import ParsedRecords
from ..one_stream import STREAM
from .parameters import Parameters

_LINE: Final = re.compile("(?:0|[1-9][0-9]*)(?:,(?:0|[1-9][0-9]*))*")
# Marks of elements held at once, where subsets are read.
MARKS: Final = 2**22


def subset_line(indexes: Sequence[int]) -> str:
    """Return the line of ascending indexes."""
    return ",".join(map(str, indexes))


class SubsetFormat(LineFormat):
    """Format of lines of w ascending indexes below D."""

    def __init__(self, size: int, w: int) -> None:
        super().__init__([Number(range(size), COORDINATE_OUT_OF_RANGE)] * w, _ascending)
        self._w, self._last = w, _in_order(str(size - 1))

    def fault(self, line: object) -> str | None:
        if not isinstance(line, str) or not _LINE.fullmatch(line):
            return MALFORMED
        # Compared without being converted: that of a long number would take quadratic time.
        found = [_in_order(text) for text in line.split(",")]
        if any(one >= other for one, other in pairwise(found)):
            return MALFORMED
        if len(found) != self._w:
            return WRONG_LENGTH
        return COORDINATE_OUT_OF_RANGE if found[-1] > self._last else None


class Encoding(Parameters):
    """Lines and records of reports."""

    @property
    def report_characters(self) -> int:
        return len(subset_line(range(self.size - self.w, self.size)))

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        self.check_stream(stream)
        rest = self._words - 1
        return np.dtype([("first", ">u4"), ("rest", ">u4", (rest,))] if rest else [("first", ">u4")])

    def format_records(self, parts: Mapping[str, Array]) -> list[str]:
        return [subset_line(subset) for block in self.unpacked(parts[STREAM]) for subset in block.tolist()]

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        (indexes,), rejected = _format(self.size, self.w).parse(records)
        return ParsedRecords({STREAM: self.pack(indexes)}, rejected)

    def pack(self, indexes: Array) -> Array:
        """Return the records of ascending indexes, shape (n, w)."""
        if self._by_bits:
            bits = np.zeros((len(indexes), 32 * self._words), bool)
            bits[np.arange(len(indexes))[:, None], indexes] = True
            stored = np.packbits(bits, axis=1)
        else:
            numbers = np.zeros((len(indexes), 2 * self._words), ">u2")
            numbers[:, : self.w] = indexes
            stored = numbers.view(np.uint8)
        return stored.view(self.record_dtype(STREAM))[:, 0]

    def unpacked(self, records: Array) -> Iterator[Array]:
        """Yield the indexes of records, shape (n, w), a block at a time; what is mapped is read once."""
        step = max(1, MARKS // (32 * self._words))
        for start in range(0, len(records), step):
            octets = np.ascontiguousarray(records[start : start + step]).view(np.uint8).reshape(-1, 4 * self._words)
            if self._by_bits:
                yield np.nonzero(np.unpackbits(octets, axis=1))[1].reshape(-1, self.w)
            else:
                yield octets.view(">u2")[:, : self.w].astype(np.intp)

    @property
    def _words(self) -> int:
        """The words of 4 bytes that a record takes."""
        return min(-(-self.size // 32), -(-self.w // 2))

    @property
    def _by_bits(self) -> bool:
        return -(-self.size // 32) < -(-self.w // 2)


@lru_cache(maxsize=64)
def _format(size: int, w: int) -> SubsetFormat:
    return SubsetFormat(size, w)


def _in_order(digits: str) -> tuple[int, str]:
    """Return what compares numbers without leading zeros as they are."""
    return len(digits), digits


def _ascending(*columns: Array) -> tuple[Array, ...] | None:
    indexes = np.column_stack(columns)
    return (indexes.astype(np.uint16),) if (indexes[:, 1:] > indexes[:, :-1]).all() else None
