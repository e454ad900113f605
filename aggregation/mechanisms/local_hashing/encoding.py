"""Lines ``j,y`` of a row number and a bucket, and how they are stored."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays import Array
from ...encoding import (
    COORDINATE_OUT_OF_RANGE,
    ROW_OUT_OF_RANGE,
    LineFormat,
    Number,
    bucket_dtype,
    pack_buckets,
    unpack_buckets,
)
from ...registry import ParsedRecords
from ..one_sketch import STREAM
from .parameters import Parameters


def bucket_line(row: int, bucket: int) -> str:
    """Return the line ``j,y`` of one row number and bucket."""
    return f"{row},{bucket}"


def bucket_lines(records: Array, g: int) -> list[str]:
    """Return the lines of stored buckets, in their order."""
    rows, buckets = unpack_buckets(records, g)
    return list(map(bucket_line, rows.tolist(), buckets.tolist()))


def parse_buckets(lines: Sequence[object], k: int, g: int) -> tuple[Array, list[tuple[int, str]]]:
    """Check and read lines ``j,y``.

    Parameters
    ----------
    lines : sequence of object
        What a document holds; anything may be in it.
    k, g : int
        Rows of the sketch, and buckets of a row.

    Returns
    -------
    records : structured ndarray
        The good records in order, of dtype ``bucket_dtype()``.
    rejected : list of (int, str)
        Index in the input and reason for each of the others, in order: ``row_out_of_range`` or
        ``coordinate_out_of_range`` where the grammar holds (in this order of precedence), else ``malformed_record``.

    References
    ----------
    The report format, sections 4 and 5.1.
    """
    (records,), rejected = _format(k, g).parse(lines)
    return records, rejected


@lru_cache(maxsize=64)
def _format(k: int, g: int) -> LineFormat:
    fields = (Number(range(k), ROW_OUT_OF_RANGE), Number(range(g), COORDINATE_OUT_OF_RANGE))
    return LineFormat(fields, lambda rows, buckets: (pack_buckets(rows, buckets, g),))


class Encoding(Parameters):
    """Lines and records of reports."""

    @property
    def report_characters(self) -> int:
        return len(bucket_line(self.k - 1, self.g - 1))

    @property
    def report_bytes(self) -> int:
        return self.record_dtype(STREAM).itemsize

    def record_dtype(self, stream: str) -> np.dtype[Any]:
        self.check_stream(stream)
        return bucket_dtype()

    def format_records(self, parts: Mapping[str, Array]) -> list[str]:
        return bucket_lines(parts[STREAM], self.g)

    def parse_records(self, records: Sequence[object]) -> ParsedRecords:
        parsed, rejected = parse_buckets(records, self.k, self.g)
        return ParsedRecords({STREAM: parsed}, rejected)
